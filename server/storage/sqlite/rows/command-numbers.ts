import { eq, sql } from 'drizzle-orm'
import { bareRead, bareWrite } from '../engine/bare.ts'
import type { Orm } from '../engine/database.ts'
import { createEmptying } from '../engine/hot-rows.ts'
import { deviceNumbers, deviceNumbersRecent, devices } from '../schema/schema.ts'

/** The numbers of each device's commands (sb/1 6.1): every method but `highest` belongs into a commit. */
export interface DeviceNumbers {
  /** Takes the next one of the device that the storage knows by this number. */
  take(deviceNumber: number): number
  /** As `take`, by the device's id. */
  takeFor(deviceId: string): number
  /** From here on numbers are above this one. */
  raise(deviceId: string, atLeast: number): void
  /** The highest that was given so far. */
  highest(deviceId: string): number
}

const value = sql.placeholder
/** What has a recent number has the higher one there. */
const known = sql`coalesce(
  (select r.n from device_numbers_recent r where r.device_number = devices.number),
  (select d.n from device_numbers d where d.device_number = devices.number),
  0
)`

export function createDeviceNumbers(orm: Orm): DeviceNumbers {
  const n = { n: deviceNumbersRecent.n }
  const emptying = createEmptying(orm, deviceNumbersRecent, deviceNumbers)

  const raiseByOne = bareWrite(
    orm,
    orm
      .insert(deviceNumbersRecent)
      .values({
        deviceNumber: value('deviceNumber'),
        n: sql`1 + coalesce((select d.n from device_numbers d where d.device_number = ${value('deviceNumber')}), 0)`,
      })
      .onConflictDoUpdate({ target: deviceNumbersRecent.deviceNumber, set: { n: sql`${n.n} + 1` } }),
  )
  const recent = bareRead(
    orm,
    n,
    orm
      .select(n)
      .from(deviceNumbersRecent)
      .where(eq(deviceNumbersRecent.deviceNumber, value('deviceNumber'))),
  )
  const numberOf = bareRead(
    orm,
    { number: devices.number },
    orm
      .select({ number: devices.number })
      .from(devices)
      .where(eq(devices.id, value('deviceId'))),
  )
  const highest = orm
    .select({ n: sql<number>`${known}` })
    .from(devices)
    .where(eq(devices.id, value('deviceId')))
    .prepare()
  const set = orm
    .insert(deviceNumbersRecent)
    .values({ deviceNumber: value('deviceNumber'), n: value('n') })
    .onConflictDoUpdate({ target: deviceNumbersRecent.deviceNumber, set: { n: sql`excluded.n` } })
    .prepare()

  function numberOfDevice(deviceId: string): number {
    const row = numberOf.get({ deviceId })
    if (!row) throw new Error('a connected device is always on record')
    return row.number
  }

  function take(deviceNumber: number): number {
    // No RETURNING: SQLite makes a table in memory for what that answers, at each call, and this look-up costs less.
    raiseByOne({ deviceNumber })
    const row = recent.get({ deviceNumber })
    if (!row) throw new Error('a number is there when it was taken')
    emptying.noteWrite()
    return row.n
  }

  return {
    take,
    takeFor: (deviceId) => take(numberOfDevice(deviceId)),

    raise(deviceId, atLeast) {
      // Most births tell of no more than was given.
      if (atLeast <= (highest.get({ deviceId })?.n ?? 0)) return
      set.run({ deviceNumber: numberOfDevice(deviceId), n: atLeast })
      emptying.noteWrite()
    },

    highest: (deviceId) => highest.get({ deviceId })?.n ?? 0,
  }
}
