import { z } from 'zod'
import { amount, currency, language } from './fields.ts'

/** Money has arrived: speak it, once. */
export const announce = z.object({
  amount,
  currency,
  lang: language,
  /** The sentence as clip ids of `lang`, separated by single spaces; the screen's text derives from them. */
  clips: z
    .string()
    .regex(/^[a-z0-9-]+( [a-z0-9-]+)*$/)
    .max(400),
  /** The bill that was paid; left out when there is none or it does not fit the device. */
  bill: z.string().max(64).optional(),
})
