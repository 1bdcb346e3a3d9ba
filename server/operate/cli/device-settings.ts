import { isApplied, type Settings, type SettingsChange } from '../../settings/settings.ts'
import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Shows a device's settings, and changes them first when something is to be changed. */
export async function deviceSettings(
  { storage }: Workspace,
  serial: string,
  change: SettingsChange,
): Promise<Outcome> {
  const isChange = change.volume !== undefined || change.lang !== undefined
  const result = isChange
    ? await storage.settings.change('operator', serial, change)
    : { plan: undefined, settings: await storage.settings.find('operator', serial) }
  if (!result?.settings)
    return refused({ serial, found: false }, `There is no device ${serial}: see hub device list.`)
  const { plan, settings } = result
  if (plan?.kind === 'refused') return refused({ serial, refused: plan }, `${plan.field} ${plan.issue}.`)
  const { desired, reported } = settings
  const applied = isApplied(settings)
  const json = { serial, desired: desired ?? null, reported: reported ?? null, applied }
  const wait = applied ? '' : '\n  A running hub sends them within a second, or when the device is back.'
  return done(
    json,
    `Device ${serial}\n  shall use  ${written(desired)}\n  uses       ${written(reported)}${wait}`,
  )
}

function written(settings: Settings | undefined): string {
  return settings
    ? `volume ${settings.volume}, language ${settings.lang} (version ${settings.ver})`
    : 'not known'
}
