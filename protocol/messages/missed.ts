import { z } from 'zod'

/** Payments that came too late to be spoken: shown, never spoken. */
export const missed = z.object({
  /** How many payments. */
  count: z.int().min(1).max(0xffff_ffff),
  /** Their sum; longer than one payment's amount can be. */
  amount: z.string().regex(/^[1-9][0-9]{0,18}$/),
})
