import { type AbilitiesOf, cannot } from '../devices/abilities.ts'
import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Actor } from '../security/actor.ts'
import type { SettingsRecords, SettingsSender } from './ports.ts'
import type { DeviceSettings, SettingsChange } from './settings.ts'

interface SettingsDeps {
  settings: SettingsRecords
  sender: SettingsSender
  abilitiesOf: AbilitiesOf
  clock: Clock
}

/** What partners and operators do with the settings of devices. Throws DEVICE_NOT_FOUND. */
export function manageSettings(deps: SettingsDeps) {
  return {
    /**
     * A connected device gets the changed settings at once, an offline one at its birth. Throws DEVICE_CANNOT for a
     * setting that the device does not have.
     */
    async changeSettings(by: Actor, serial: string, change: SettingsChange): Promise<DeviceSettings> {
      const found = await deps.settings.find(by, serial)
      if (!found) throw new HubError('DEVICE_NOT_FOUND')
      const able = (await deps.abilitiesOf(found)).settings
      for (const name of ['volume', 'lang'] as const)
        if (change[name] !== undefined && !able.includes(name))
          throw cannot(name, 'cannot be set from afar: set it at the device itself')
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
