import * as z from 'zod'

export const missed = z
  .object({
    count: z.int().min(1).max(0xffff_ffff).describe('The number of payments.'),
    amount: z
      .string()
      .regex(/^[1-9][0-9]{0,18}$/)
      .describe("Their sum, in the currency's unit. It may have more digits than the amount of one payment."),
  })
  .describe('Payments that arrived too late to be spoken. Show them, and never speak them.')
