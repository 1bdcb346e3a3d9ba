import { HubError } from '../platform/errors.ts'
import type { DeviceReport } from './device.ts'
import type { DeviceLists, Presence } from './ports.ts'

/** Finds a device that is the partner's own or registered to nobody, with what it has reported. */
export function findDevice(deps: { lists: Pick<DeviceLists, 'find'>; presence: Presence; hubSince: number }) {
  const { lists, presence, hubSince } = deps

  return async function findDevice(clientId: string, serial: string): Promise<DeviceReport> {
    const found = await lists.find(serial, hubSince)
    if (!found || found.revokedAt !== undefined || (found.clientId ?? clientId) !== clientId)
      throw new HubError('DEVICE_NOT_FOUND')
    return { ...found, connected: await presence.isConnected(serial) }
  }
}
