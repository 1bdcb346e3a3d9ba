import { z } from 'zod'
import { settings } from './settings.ts'

export const settingsReport = settings
  .extend({ t: z.literal('settings') })
  .describe("The settings now in force: after every change, and as the answer to the hub's.")
export type SettingsReport = z.infer<typeof settingsReport>
