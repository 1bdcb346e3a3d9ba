import type { Clock } from '../platform/clock.ts'
import type { Actor } from '../security/actor.ts'
import type { Device } from './device.ts'
import type { DeviceControl, DeviceRecords, Screens } from './ports.ts'
import { deviceUnknown } from './send-verification.ts'

/** Releases a device of a partner. Its screen shows "not registered" again; its stores and their history stay. */
export function unregisterDevice(deps: {
  devices: DeviceRecords
  control: Pick<DeviceControl, 'silence'>
  screens: Screens
  clock: Clock
}) {
  return async function unregisterDevice(by: Actor, serial: string): Promise<Device> {
    const device = await deps.devices.unregister(by, serial, deps.clock.now())
    if (!device) throw deviceUnknown()
    deps.control.silence(device.id)
    deps.screens.refresh(device.id)
    return device
  }
}
