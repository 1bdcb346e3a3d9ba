import { z } from 'zod'
import { amount, currency, language } from './fields.ts'

export const announce = z
  .object({
    amount: amount.describe("What was paid, in the currency's own unit."),
    currency,
    lang: language.describe('The language of the clips.'),
    clips: z
      .string()
      .regex(/^[a-z0-9-]+( [a-z0-9-]+)*$/)
      .max(400)
      .describe(
        "The sentence as clip ids of `lang`, separated by single spaces; the screen's text derives from them. The ids are listed in vectors/clips.json.",
      ),
    bill: z
      .string()
      .max(64)
      .optional()
      .describe('The bill that was paid; left out when there is none or it does not fit the device.'),
  })
  .describe('Money has arrived: speak it, once.')
