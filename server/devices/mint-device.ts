import { deriveKeys, loginHash } from '../../protocol/keys.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { DeviceRecords } from './ports.ts'

/** Makes a device known. Its key is returned this once; undefined when the serial is taken. */
export async function mintDevice(
  { devices, clock, ids }: { devices: DeviceRecords; clock: Clock; ids: Ids },
  serial = ids.serial(),
): Promise<{ serial: string; key: string } | undefined> {
  const key = ids.deviceKey()
  const { login } = deriveKeys(key)
  const device = { id: ids.uuid(), serial, key, loginHash: loginHash(login), at: clock.now() }
  return (await devices.mint(device)) ? { serial, key: key.toString('base64url') } : undefined
}
