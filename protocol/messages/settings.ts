import * as z from 'zod'
import { language, number } from './fields.ts'

/**
 * Down: the settings to apply. Up, on `up/settings`: the current settings, without fields that the device does not
 * know.
 */
export const settings = z
  .object({
    ver: number.describe('The version of the document. It rises. 0 means the factory settings.'),
    volume: z.int().min(0).max(100).describe('Volume. 0 mutes the device.').meta({ unit: '%' }),
    lang: language.describe("The language of the device's screen and of its announcements."),
  })
  .describe('The settings for the device, as a complete document.')
export type Settings = z.infer<typeof settings>
