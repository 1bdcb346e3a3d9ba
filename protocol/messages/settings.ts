import { z } from 'zod'
import { language, number } from './fields.ts'

/** Down: what the device shall use. Up, on `up/settings`: what it uses, without fields that it does not know. */
export const settings = z
  .object({
    ver: number.describe('Version of the document, rising. 0 is what the device left the factory with.'),
    volume: z.int().min(0).max(100).describe('Loudness; at 0 the device is muted.').meta({ unit: '%' }),
    lang: language.describe(
      "The language of the device's screen, and of the announcements that the hub makes for it.",
    ),
  })
  .describe('The settings that the device shall use, as a whole document.')
export type Settings = z.infer<typeof settings>
