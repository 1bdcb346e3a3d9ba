import * as z from 'zod'
import { unixSeconds } from './fields.ts'

export const code = z
  .object({
    code: z
      .string()
      .regex(/^[0-9]{6}$/)
      .describe('Six digits, shown unchanged.'),
    exp: unixSeconds.describe('The last second in which the code may be shown.'),
  })
  .describe('A verification code. Show it until `exp` has passed or a `clear` arrives.')
