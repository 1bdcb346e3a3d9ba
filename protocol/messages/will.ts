import { z } from 'zod'
import { sid } from './fields.ts'

/**
 * The will of a CONNECT, also published before a clean DISCONNECT: the one frame without a MAC. Its `sid`
 * names the session, so that the hub can verify the birth, and so that a late will of an older session
 * counts for nothing.
 */
export const will = z.object({
  sid,
  reason: z.enum(['lost', 'bye']),
})
export type Will = z.infer<typeof will>
