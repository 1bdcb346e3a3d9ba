import { HubError } from '../platform/errors.ts'
import type { SettingsRecords, SettingsSender } from './ports.ts'
import type { DeviceSettings, SettingsChange } from './settings.ts'

/** Changes what a partner's device shall use. A connected one is told at once, an offline one at its birth. */
export function changeSettings(deps: { settings: SettingsRecords; sender: SettingsSender }) {
  return async (clientId: string, serial: string, change: SettingsChange): Promise<DeviceSettings> => {
    const result = await deps.settings.change({ clientId }, serial, change)
    if (!result) throw new HubError('DEVICE_NOT_FOUND')
    const { plan, settings } = result
    switch (plan.kind) {
      case 'refused':
        throw new HubError('VALIDATION_FAILED', { details: [{ field: plan.field, issue: plan.issue }] })
      case 'changed':
        deps.sender.configure(settings.deviceId, plan.desired)
        return settings
      case 'unchanged':
        return settings
    }
  }
}

/** A partner's device's settings, desired and reported. */
export function findSettings({ settings }: { settings: SettingsRecords }) {
  return async (clientId: string, serial: string): Promise<DeviceSettings> => {
    const found = await settings.find({ clientId }, serial)
    if (!found) throw new HubError('DEVICE_NOT_FOUND')
    return found
  }
}
