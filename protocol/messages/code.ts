import { z } from 'zod'
import { unixSeconds } from './fields.ts'

export const code = z
  .object({
    code: z
      .string()
      .regex(/^[0-9]{6}$/)
      .describe('Six digits, shown as they are.'),
    exp: unixSeconds.describe('The last second in which it may be shown.'),
  })
  .describe('A verification code to show. It goes away when `exp` has passed, or by `clear`.')
