import type Database from 'better-sqlite3'
import { createHotRows } from '../engine/hot-rows.ts'

/** The numbers of each device's commands (sb/1 6.1). Every method but `highest` runs inside a commit. */
export interface CommandNumbers {
  /** Takes the next number of the device with this row id. */
  take(deviceRowId: number): number
  /** All later numbers are above `atLeast`. */
  raise(deviceId: string, atLeast: number): void
  /** The highest number given so far. */
  highest(deviceId: string): number
}

export function createCommandNumbers(sqlite: Database.Database): CommandNumbers {
  const countWrite = createHotRows(sqlite, 'device_numbers', 'device_number', { n: 'newest' })

  const raiseByOne = sqlite.prepare<{ device: number }>(
    `INSERT INTO device_numbers_recent (device_number, n)
     VALUES (@device, 1 + coalesce((SELECT d.n FROM device_numbers d WHERE d.device_number = @device), 0))
     ON CONFLICT (device_number) DO UPDATE SET n = n + 1`,
  )
  // No RETURNING: SQLite builds a table in memory for its rows at each call, which costs more than this look-up.
  const recent = sqlite
    .prepare<[device: number], number>('SELECT n FROM device_numbers_recent WHERE device_number = ?')
    .pluck()
  const rowIdOf = sqlite.prepare<[id: string], number>('SELECT number FROM devices WHERE id = ?').pluck()
  // A device with a recent number has its highest number there.
  const highest = sqlite
    .prepare<[id: string], number>(
      `SELECT coalesce(
         (SELECT r.n FROM device_numbers_recent r WHERE r.device_number = devices.number),
         (SELECT d.n FROM device_numbers d WHERE d.device_number = devices.number),
         0
       ) FROM devices WHERE id = ?`,
    )
    .pluck()
  const set = sqlite.prepare<[device: number, n: number]>(
    `INSERT INTO device_numbers_recent (device_number, n) VALUES (?, ?)
     ON CONFLICT (device_number) DO UPDATE SET n = excluded.n`,
  )

  function rowId(deviceId: string): number {
    const found = rowIdOf.get(deviceId)
    if (found === undefined) throw new Error(`there is no device ${deviceId}`)
    return found
  }

  function take(deviceRowId: number): number {
    raiseByOne.run({ device: deviceRowId })
    const n = recent.get(deviceRowId)
    if (n === undefined) throw new Error('the number was stored a line above')
    countWrite()
    return n
  }

  return {
    take,
    raise(deviceId, atLeast) {
      // Most births name no number above the highest.
      if (atLeast <= (highest.get(deviceId) ?? 0)) return
      set.run(rowId(deviceId), atLeast)
      countWrite()
    },

    highest: (deviceId) => highest.get(deviceId) ?? 0,
  }
}
