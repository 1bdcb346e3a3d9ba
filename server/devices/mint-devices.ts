import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Actor } from '../security/actor.ts'
import { SERIAL_PATTERN } from './device.ts'
import type { DeviceRecords } from './ports.ts'

/**
 * The most devices of one command: more would delay a running hub's writes for seconds, and a command that is started
 * twice by mistake creates twice as many.
 */
export const MOST_AT_ONCE = 10_000

/** Devices per commit. Such a commit takes about 20 ms, and delays the commits of a running hub. */
const SHARED_COMMIT = 500

/** "PREFIX00042": with five digits, text order is number order. */
const DIGITS = 5

/** A new device with its key in base64url, which is shown only once. */
export interface MintedDevice {
  serial: string
  key: string
}

export interface MintDeps {
  by: Actor
  devices: DeviceRecords
  /** The dialect's login hash of a device's key. */
  loginHash: (deviceKey: Buffer) => Buffer
  clock: Clock
  ids: Ids
}

/** Makes a device known. Its key is returned only here. Undefined when the serial is taken. */
export async function mintDevice(
  { by, devices, loginHash, clock, ids }: MintDeps,
  serial = ids.serial(),
): Promise<MintedDevice | undefined> {
  const key = ids.deviceKey()
  const device = { id: ids.uuid(), serial, key, loginHash: loginHash(key), at: clock.now() }
  return (await devices.mint(by, device)) ? { serial, key: key.toString('base64url') } : undefined
}

/**
 * Creates `count` devices. With a prefix, their serials continue from the highest existing number; without, they are
 * random. `minted` gets the devices of each commit, because their keys cannot be read later. Creates none and returns
 * undefined when the numbers do not fit into a serial.
 */
export async function mintDevices(
  deps: MintDeps,
  { count, prefix }: { count: number; prefix: string | undefined },
  minted: (devices: readonly MintedDevice[]) => void,
): Promise<number | undefined> {
  let number = prefix === undefined ? 0 : await highestNumber(deps.devices, prefix)
  const nextSerial = () => (prefix === undefined ? deps.ids.serial() : numbered(prefix, ++number))
  if (prefix !== undefined && !SERIAL_PATTERN.test(numbered(prefix, number + count))) return undefined
  let made = 0
  while (made < count) {
    const some = Array.from({ length: Math.min(SHARED_COMMIT, count - made) }, () => nextSerial())
    const results = await Promise.all(some.map((serial) => mintDevice(deps, serial)))
    // If a serial was taken meanwhile, the loop continues with the next one.
    const devices = results.filter((device) => device !== undefined)
    made += devices.length
    minted(devices)
  }
  return made
}

function numbered(prefix: string, number: number): string {
  return prefix + String(number).padStart(DIGITS, '0')
}

async function highestNumber(devices: DeviceRecords, prefix: string): Promise<number> {
  let highest = 0
  for (const { serial } of await devices.list()) {
    const rest = serial.startsWith(prefix) ? serial.slice(prefix.length) : ''
    if (/^[0-9]{1,9}$/.test(rest)) highest = Math.max(highest, Number(rest))
  }
  return highest
}
