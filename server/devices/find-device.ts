import { HubError } from '../platform/errors.ts'
import type { Device } from './device.ts'
import type { DeviceRecords } from './ports.ts'

/** The device when it is free or the partner's own. */
export function findDevice({ devices }: { devices: DeviceRecords }) {
  return async (clientId: string, serial: string): Promise<Device> => {
    const device = await devices.findFor(clientId, serial)
    if (!device) throw new HubError('DEVICE_NOT_FOUND')
    return device
  }
}
