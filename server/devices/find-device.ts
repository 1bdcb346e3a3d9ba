import { HubError } from '../platform/errors.ts'
import type { Device, DeviceReport } from './device.ts'
import type { DeviceLists, DeviceRecords } from './ports.ts'

/** Finds a device that is the partner's own or registered to nobody, with what it has reported. */
export function findDevice({
  devices,
  lists,
  hubSince,
}: {
  devices: DeviceRecords
  lists: Pick<DeviceLists, 'find'>
  hubSince: number
}) {
  return async function findDevice(
    clientId: string,
    serial: string,
  ): Promise<{ device: Device; report: DeviceReport | undefined }> {
    const device = await devices.findFor(clientId, serial)
    if (!device) throw new HubError('DEVICE_NOT_FOUND')
    return { device, report: await lists.find(serial, hubSince) }
  }
}
