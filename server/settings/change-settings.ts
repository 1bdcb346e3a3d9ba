import { HubError } from '../platform/errors.ts'
import type { SettingsRecords, SettingsSender } from './ports.ts'
import type { DeviceSettings, SettingsChange } from './settings.ts'

/** Changes the settings of a partner's device. An online device gets them at once, an offline one at its birth. */
export function changeSettings(deps: { settings: SettingsRecords; sender: SettingsSender }) {
  async function apply(clientId: string, serial: string, change: SettingsChange): Promise<DeviceSettings> {
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

  return apply
}

/** The desired and reported settings of a partner's device. */
export function findSettings({ settings }: { settings: SettingsRecords }) {
  async function find(clientId: string, serial: string): Promise<DeviceSettings> {
    const found = await settings.find({ clientId }, serial)
    if (!found) throw new HubError('DEVICE_NOT_FOUND')
    return found
  }

  return find
}
