import * as z from 'zod'
import { sid } from './fields.ts'

/**
 * The `sid` identifies the session: the hub uses it to verify the birth, and to ignore a late will of an older session.
 */
export const will = z
  .object({
    sid: sid.describe('The session that ends.'),
    reason: z.enum(['lost', 'bye']).describe('`lost` in the CONNECT, `bye` before a clean DISCONNECT.'),
  })
  .describe('The will of a CONNECT, also published before a clean DISCONNECT. It has no MAC.')
export type Will = z.infer<typeof will>
