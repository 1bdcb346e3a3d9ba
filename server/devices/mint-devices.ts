import { SERIAL_PATTERN } from './device.ts'
import { type MintDeps, mintDevice } from './mint-device.ts'
import type { DeviceRecords } from './ports.ts'

/**
 * Devices minted by one command: more would take the room of a hub's own writes for seconds, and a command that
 * is started twice mints twice as many.
 */
export const MOST_AT_ONCE = 10_000

/** Devices that share one commit: some 20 ms, for which a running hub waits with its own. */
const SHARED_COMMIT = 500

/** "PREFIX00042": five digits sort as text does, up to as many as anybody mints. */
const DIGITS = 5

/** A device whose key is told this once, in base64url. */
export type MintedDevice = NonNullable<Awaited<ReturnType<typeof mintDevice>>>

/**
 * Makes `count` devices known. With a prefix their serials are numbered on from the highest there is; without, they
 * are made up. `minted` is called with those of each commit, because their keys are told only this once. Undefined
 * when the numbers no longer fit into a serial: then none is made.
 */
export async function mintDevices(
  deps: MintDeps,
  { count, prefix }: { count: number; prefix: string | undefined },
  minted: (devices: readonly MintedDevice[]) => void,
): Promise<number | undefined> {
  let number = prefix === undefined ? 0 : await highestNumber(deps.devices, prefix)
  const nextSerial = () => {
    if (prefix === undefined) return deps.ids.serial()
    number += 1
    return numbered(prefix, number)
  }
  if (prefix !== undefined && !SERIAL_PATTERN.test(numbered(prefix, number + count))) return undefined
  let made = 0
  while (made < count) {
    const some = Array.from({ length: Math.min(SHARED_COMMIT, count - made) }, () => nextSerial())
    const results = await Promise.all(some.map((serial) => mintDevice(deps, serial)))
    // A serial that someone else took meanwhile is made good by the next one.
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
