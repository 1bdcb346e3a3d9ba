import * as z from 'zod'
import { settings } from './settings.ts'

export const settingsReport = settings
  .extend({ t: z.literal('settings') })
  .describe(
    "The device's current settings. Sent after every change, as the answer to a settings command, and after a welcome that does not name their version.",
  )
export type SettingsReport = z.infer<typeof settingsReport>
