import type { Owner } from '../../../../announcements/ports.ts'
import type { Tx } from '../../engine/database.ts'

/** A row of device_state that this transaction has locked. `n` rises with each number that it gives. */
export interface LockedDevice {
  rowId: number
  /** The highest command number given so far (sb/1 6.1). */
  n: number
  sessionId: string | null
}

/** Locked devices by their ids. */
export type LockedDevices = ReadonlyMap<string, LockedDevice>

/**
 * Locks the rows of these devices until the commit, always in the same order, and reads them. No other transaction can
 * number a command of a locked device, or take it over.
 *
 * Why each act locks first and reads announcements in a later statement: a statement sees the commits from before it
 * began. One that locks and reads would wait for another transaction, and read what was there before that one.
 * Held by test/whole/server/storage/postgres/traps.test.ts.
 */
export async function lockDevices(tx: Tx, deviceIds: Iterable<string>): Promise<LockedDevices> {
  const ids = [...new Set(deviceIds)]
  if (ids.length === 0) return new Map()
  const rows = await tx.query<LockedDevice & { deviceId: string }>(
    'outbox lock devices',
    `SELECT s.device_number AS "rowId", d.id AS "deviceId", s.n, s.session_id AS "sessionId"
     FROM devices d JOIN device_state s ON s.device_number = d.number
     WHERE d.id = ANY($1::text[])
     ORDER BY s.device_number FOR NO KEY UPDATE OF s`,
    [ids],
  )
  return new Map(rows.map(({ deviceId, ...device }) => [deviceId, device]))
}

/** The session's device. Undefined when the session does not own it. */
export function ownedBy(devices: LockedDevices, { deviceId, sessionId }: Owner): LockedDevice | undefined {
  const device = devices.get(deviceId)
  return device?.sessionId === sessionId ? device : undefined
}

/** Gives the next number of a locked device. `storeNumbers` stores it. */
export function nextNumber(device: LockedDevice): number {
  device.n += 1
  return device.n
}

/** Stores the highest numbers of locked devices. */
export async function storeNumbers(tx: Tx, devices: Iterable<LockedDevice>): Promise<void> {
  const all = [...devices]
  await tx.query(
    'outbox store numbers',
    `UPDATE device_state s SET n = v.n FROM unnest($1::bigint[], $2::bigint[]) AS v(device_number, n)
     WHERE s.device_number = v.device_number AND s.n <> v.n`,
    [all.map(({ rowId }) => rowId), all.map(({ n }) => n)],
  )
}
