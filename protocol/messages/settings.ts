import { z } from 'zod'
import { language, number } from './fields.ts'

/**
 * The settings as a whole document. Down: what the device shall use. Up, on `up/settings`: what it uses.
 * A device keeps fields that it does not know out of its report.
 */
export const settings = z.object({
  /** Version of the document, rising. 0 is what the device left the factory with. */
  ver: number,
  /** Loudness in percent. */
  volume: z.int().min(0).max(100),
  lang: language,
})
export type Settings = z.infer<typeof settings>
