import { z } from 'zod'
import { sid } from './fields.ts'

/**
 * The `sid` names the session, so that the hub can verify the birth, and so that a late will of an older session
 * counts for nothing.
 */
export const will = z
  .object({
    sid: sid.describe('The session that it ends.'),
    reason: z.enum(['lost', 'bye']).describe('`lost` in the CONNECT, `bye` before a clean DISCONNECT.'),
  })
  .describe('The will of a CONNECT, also published before a clean DISCONNECT. It carries no MAC.')
export type Will = z.infer<typeof will>
