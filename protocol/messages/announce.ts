import * as z from 'zod'
import { amount, currency, language } from './fields.ts'

export const announce = z
  .object({
    amount: amount.describe("The amount paid, in the currency's unit."),
    currency,
    lang: language.describe('The language of the clips.'),
    clips: z
      .string()
      .regex(/^[a-z0-9-]+( [a-z0-9-]+)*$/)
      .max(400)
      .describe(
        'The sentence as clip ids of `lang`, separated by single spaces. The text on the screen is derived from them. vectors/clips.json lists the ids.',
      ),
    bill: z
      .string()
      .max(64)
      .optional()
      .describe('The bill that was paid. Left out if there is none or it does not fit the device.'),
  })
  .describe('A payment has arrived. Speak it once.')
