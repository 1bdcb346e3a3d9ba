import type { Owner } from '../../../announcements/ports.ts'
import type { Act } from '../act.ts'

/** The command counter of a device, and the session that owns it, which this act has locked. */
export interface LockedDevice {
  rowId: number
  /** The highest command number given so far (sb/1 6.1). It rises with each number that this act gives. */
  n: number
  /** `n` as it is stored. */
  stored: number
  sessionId: string | null
}

/** Locked devices by their ids. */
export type LockedDevices = ReadonlyMap<string, LockedDevice>

/** What each engine stores of devices in a way of its own, because every payment and every birth writes it. */
export interface DeviceStates {
  /**
   * Locks these devices until the commit, always in the same order, and reads them. No other transaction can number a
   * command of a locked device, or take it over.
   *
   * Why each act locks first and reads announcements in a later statement: in PostgreSQL a statement sees the commits from
   * before it began. One that locks and reads would wait for another transaction, and read what was there before that one.
   * Held by test/whole/server/storage/postgres/traps.test.ts.
   */
  lock(deviceIds: Iterable<string>): Act<LockedDevices>
  /** Reads a device without a lock. */
  find(deviceId: string): Act<Pick<LockedDevice, 'n' | 'sessionId'> | undefined>
  /** Stores the highest numbers of locked devices. */
  storeNumbers(devices: Iterable<LockedDevice>): Act<void>
  /** Stores their highest numbers and their owners, which are sessions of this hub. */
  own(devices: readonly LockedDevice[]): Act<void>
  /** Locked devices have no owner any more. */
  leave(devices: readonly LockedDevice[]): Act<void>
  /** The condition that no other hub is known to have the device of an announcement `a`. `$3` is `hub`. */
  isNotElsewhere: string
  hub: string | undefined
}

/** The session's device. Undefined when the session does not own it. */
export function ownedBy(devices: LockedDevices, { deviceId, sessionId }: Owner): LockedDevice | undefined {
  const device = devices.get(deviceId)
  return device?.sessionId === sessionId ? device : undefined
}

/** Gives the next number of a locked device. `storeNumbers` and `own` store it. */
export function nextNumber(device: LockedDevice): number {
  device.n += 1
  return device.n
}

/** The devices that have given numbers. */
export function numbered(devices: Iterable<LockedDevice>): LockedDevice[] {
  return [...devices].filter(({ n, stored }) => n !== stored)
}
