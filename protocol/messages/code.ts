import { z } from 'zod'
import { unixSeconds } from './fields.ts'

/** A verification code to show. It goes away at `exp`, or by `clear`. */
export const code = z.object({
  code: z.string().regex(/^[0-9]{6}$/),
  exp: unixSeconds,
})
