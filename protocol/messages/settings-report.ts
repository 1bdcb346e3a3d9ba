import { z } from 'zod'
import { reportedNumber } from './fields.ts'
import { settings } from './settings.ts'

export const settingsReport = settings
  .extend({ t: z.literal('settings'), ver: reportedNumber.describe('Version of the document in force.') })
  .describe("The settings now in force: after every change, and as the answer to the hub's.")
export type SettingsReport = z.infer<typeof settingsReport>
