import { z } from 'zod'
import { settings } from './settings.ts'

/** The settings now in force, on `up/settings`: after every change, and when the hub's were applied. */
export const settingsReport = settings.extend({ t: z.literal('settings') })
export type SettingsReport = z.infer<typeof settingsReport>
