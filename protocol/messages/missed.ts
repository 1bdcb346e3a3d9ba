import { z } from 'zod'

export const missed = z
  .object({
    count: z.int().min(1).max(0xffff_ffff).describe('How many payments.'),
    amount: z
      .string()
      .regex(/^[1-9][0-9]{0,18}$/)
      .describe("Their sum, in the currency's own unit; it may be longer than one payment's."),
  })
  .describe('Payments that came too late to be spoken: shown, never spoken.')
