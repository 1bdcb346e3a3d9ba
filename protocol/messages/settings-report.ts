import { z } from 'zod'
import { settings } from './settings.ts'

export const settingsReport = settings
  .extend({ t: z.literal('settings') })
  .describe(
    "The device's current settings. Sent after every change, and as the answer to a settings command.",
  )
export type SettingsReport = z.infer<typeof settingsReport>
