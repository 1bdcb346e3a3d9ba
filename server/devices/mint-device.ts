import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { DeviceRecords } from './ports.ts'

export interface MintDeps {
  devices: DeviceRecords
  /** The dialect's login hash of a device's key. */
  loginHash: (deviceKey: Buffer) => Buffer
  clock: Clock
  ids: Ids
}

/** Makes a device known. Its key is returned only here. Undefined when the serial is taken. */
export async function mintDevice(
  { devices, loginHash, clock, ids }: MintDeps,
  serial = ids.serial(),
): Promise<{ serial: string; key: string } | undefined> {
  const key = ids.deviceKey()
  const device = { id: ids.uuid(), serial, key, loginHash: loginHash(key), at: clock.now() }
  return (await devices.mint(device)) ? { serial, key: key.toString('base64url') } : undefined
}
