import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Actor } from '../security/actor.ts'
import type { SettingsRecords, SettingsSender } from './ports.ts'
import type { DeviceSettings, SettingsChange } from './settings.ts'

/** What partners and operators do with the settings of devices. Throws DEVICE_NOT_FOUND. */
export function manageSettings(deps: { settings: SettingsRecords; sender: SettingsSender; clock: Clock }) {
  return {
    /** A connected device gets the changed settings at once, an offline one at its birth. */
    async changeSettings(by: Actor, serial: string, change: SettingsChange): Promise<DeviceSettings> {
      const result = await deps.settings.change(by, serial, change, deps.clock.now())
      if (!result) throw new HubError('DEVICE_NOT_FOUND')
      const { plan, settings } = result
      if (plan.kind === 'refused') throw fieldError('VALIDATION_FAILED', plan.field, plan.issue)
      if (plan.kind === 'changed') deps.sender.configure(settings.deviceId, plan.desired)
      return settings
    },

    /** Desired and reported. */
    async findSettings(by: Actor, serial: string): Promise<DeviceSettings> {
      const found = await deps.settings.find(by, serial)
      if (!found) throw new HubError('DEVICE_NOT_FOUND')
      return found
    },
  }
}
