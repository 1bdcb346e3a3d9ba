import { HubError } from '../platform/errors.ts'
import type { Device } from './device.ts'
import type { DeviceRecords } from './ports.ts'

/** Finds a device that is the partner's own or registered to nobody. */
export function findDevice({ devices }: { devices: DeviceRecords }) {
  return async function findDevice(clientId: string, serial: string): Promise<Device> {
    const device = await devices.findFor(clientId, serial)
    if (!device) throw new HubError('DEVICE_NOT_FOUND')
    return device
  }
}
