import type Database from 'better-sqlite3'
import { type DeviceStates, type LockedDevice, numbered } from '../../acts/outbox/device-states.ts'
import { createHotRows } from '../engine/hot-rows.ts'

/** Its statements are its own, and no step of an act: it is asked several times for each payment. */
export type SqliteDeviceStates = ReturnType<typeof createDeviceStates>

function prepare(sqlite: Database.Database) {
  // A device with a recent number has its highest number there.
  const device = <By>(by: string) =>
    sqlite.prepare<[By], LockedDevice>(
      `SELECT number AS rowId, session_id AS sessionId, 0 AS stored, coalesce(
         (SELECT r.n FROM device_numbers_recent r WHERE r.device_number = devices.number),
         (SELECT d.n FROM device_numbers d WHERE d.device_number = devices.number),
         0
       ) AS n FROM devices WHERE ${by} = ?`,
    )
  return {
    byId: device<string>('id'),
    byRowId: device<number>('number'),
    setNumber: sqlite.prepare<[device: number, n: number]>(
      `INSERT INTO device_numbers_recent (device_number, n) VALUES (?, ?)
       ON CONFLICT (device_number) DO UPDATE SET n = excluded.n`,
    ),
    setOwner: sqlite.prepare<[sessionId: string | null, rowId: number]>(
      'UPDATE devices SET session_id = ? WHERE number = ?',
    ),
  }
}

export function createDeviceStates(sqlite: Database.Database) {
  const countWrite = createHotRows(sqlite, 'device_numbers', 'device_number', { n: 'newest' })
  const { byId, byRowId, setNumber, setOwner } = prepare(sqlite)

  function storeNumber({ rowId, n }: LockedDevice) {
    setNumber.run(rowId, n)
    countWrite()
  }

  function asStored(row: LockedDevice | undefined): LockedDevice | undefined {
    if (row) row.stored = row.n
    return row
  }

  const states: DeviceStates = {
    *lock(deviceIds) {
      yield* []
      const found = new Map<string, LockedDevice>()
      for (const id of deviceIds) {
        const row = found.has(id) ? undefined : asStored(byId.get(id))
        if (row) found.set(id, row)
      }
      return found
    },

    *find(deviceId) {
      yield* []
      return byId.get(deviceId)
    },

    *storeNumbers(devices) {
      yield* []
      for (const one of numbered(devices)) storeNumber(one)
    },

    *own(devices) {
      yield* states.storeNumbers(devices)
      for (const { rowId, sessionId } of devices) setOwner.run(sessionId, rowId)
    },

    *leave(devices) {
      yield* []
      for (const { rowId } of devices) setOwner.run(null, rowId)
    },

    isNotElsewhere: 'true',
    hub: undefined,
  }
  return {
    ...states,
    /** The device of this row id, within an act. */
    of(rowId: number): LockedDevice {
      const row = asStored(byRowId.get(rowId))
      if (!row) throw new Error(`there is no device ${rowId}`)
      return row
    },
    sessionOf: (deviceId: string) => byId.get(deviceId)?.sessionId,
    storeNumber,
  }
}
