import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Actor } from '../security/actor.ts'
import type { SettingsRecords, SettingsSender } from './ports.ts'
import type { DeviceSettings, SettingsChange } from './settings.ts'

/** Changes the settings of a device. A connected device gets them at once, an offline one at its birth. */
export function changeSettings(deps: { settings: SettingsRecords; sender: SettingsSender; clock: Clock }) {
  return async function changeSettings(
    by: Actor,
    serial: string,
    change: SettingsChange,
  ): Promise<DeviceSettings> {
    const result = await deps.settings.change(by, serial, change, deps.clock.now())
    if (!result) throw new HubError('DEVICE_NOT_FOUND')
    const { plan, settings } = result
    if (plan.kind === 'refused') throw fieldError('VALIDATION_FAILED', plan.field, plan.issue)
    if (plan.kind === 'changed') deps.sender.configure(settings.deviceId, plan.desired)
    return settings
  }
}

/** The settings of a device, desired and reported. */
export function findSettings({ settings }: { settings: SettingsRecords }) {
  return async function findSettings(by: Actor, serial: string): Promise<DeviceSettings> {
    const found = await settings.find(by, serial)
    if (!found) throw new HubError('DEVICE_NOT_FOUND')
    return found
  }
}
