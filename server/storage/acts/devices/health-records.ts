import type { HealthChange, HealthRecords } from '../../../devices/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, rows, toJson } from '../act.ts'
import { eventOf } from '../device-events.ts'
import { createOnlineRecords, lockNotified, type NotifiedRow, readNotified } from './online-records.ts'

const READINGS = ['battery', 'charging', 'signal', 'volume', 'queue']
/** Stored as JSON. A report without one keeps what was stored. */
const NEWS = ['update_progress', 'runtime']

type Newest = ReturnType<typeof newestOf>
type BatteryRule = Pick<StorageRules, 'isBatteryLow'>

export function createHealthRecords(engine: Engine, rules: BatteryRule): HealthRecords {
  const { writing, sessions, each } = engine

  return {
    ...createOnlineRecords(engine),

    record: writing(function* (changes) {
      const newest = newestOf(changes)
      yield* noteBatteries(engine, rules, newest)
      // By rising row: two hubs that record the same devices lock them in the same order.
      yield* rows(
        'health.record',
        `INSERT INTO device_health AS h (device_number, ${READINGS.join()}, reported_at, left_at, ${NEWS.join()})
         SELECT d.number, ${READINGS.map((name) => `cast(c.value ->> '${name}' AS integer)`).join()},
           cast(c.value ->> 'at' AS bigint),
           (SELECT max(cast(e.value ->> 'leftAt' AS bigint)) FROM ${each("c.value -> 'ends'")} e
            WHERE coalesce(e.value ->> 'sessionId' = s.session_id, true)),
           ${NEWS.map((name) => `c.value -> '${name}'`).join()}
         FROM ${each('$1')} c JOIN devices d ON d.id = c.value ->> 'deviceId'
           JOIN ${sessions} s ON s.device_number = d.number
         WHERE true ORDER BY d.number
         ON CONFLICT (device_number) DO UPDATE SET
           ${READINGS.map((name) => `${name} = CASE WHEN excluded.reported_at IS NULL THEN h.${name} ELSE excluded.${name} END`).join()},
           reported_at = coalesce(excluded.reported_at, h.reported_at),
           left_at = coalesce(excluded.left_at, h.left_at),
           ${NEWS.map((name) => `${name} = coalesce(excluded.${name}, h.${name})`).join()}`,
        [toJson([...newest.values()])],
      )
    }),
  }
}

/** Stores which batteries have become low or good, and tells the partners of the low ones. */
function* noteBatteries(engine: Engine, rules: BatteryRule, reports: Newest): Act<void> {
  const powered = [...reports.values()].filter(({ battery }) => battery !== undefined)
  if (powered.length === 0) return
  // The first look takes no locks: almost no report changes anything.
  const ids = powered.map(({ deviceId }) => deviceId)
  const seen = batteryChanges(rules, yield* readNotified(engine, ids), reports)
  if (seen.length === 0) return
  const locked = yield* lockNotified(
    engine,
    seen.map(({ device }) => device.deviceId),
  )
  const changes = batteryChanges(rules, locked, reports)
  yield* rows(
    'health.tellBatteries',
    `INSERT INTO device_told (device_number, is_online, is_battery_low)
     SELECT cast(value ->> 'rowId' AS bigint), true, cast(value ->> 'isLow' AS boolean)
     FROM ${engine.each('$1')} WHERE true
     ON CONFLICT (device_number) DO UPDATE SET is_battery_low = excluded.is_battery_low`,
    [toJson(changes.map(({ device: { rowId }, isLow }) => ({ rowId, isLow })))],
  )
  const low = changes.filter(({ isLow }) => isLow)
  yield* engine.events(
    low.flatMap(({ device, at, battery }) => eventOf(device, 'device.battery_low', at, { battery })),
  )
}

/** The devices whose newest report makes a good battery low, or a low one good. */
function batteryChanges({ isBatteryLow }: BatteryRule, devices: readonly NotifiedRow[], reports: Newest) {
  return devices.flatMap((device) => {
    const { battery, at = 0 } = reports.get(device.deviceId) ?? {}
    if (battery === undefined) return []
    const wasLow = Boolean(device.isBatteryLow)
    const isLow = isBatteryLow(wasLow, battery)
    return isLow === wasLow ? [] : [{ device, isLow, battery, at }]
  })
}

/** The newest report. A truth value is stored as 0 or 1. */
function reportOf(changes: readonly HealthChange[]) {
  const { charging, ...report } = changes.findLast(({ report }) => report)?.report ?? {}
  return { ...report, charging: charging === undefined ? undefined : Number(charging) }
}

/** For each device the newest report and progress, and every end of a connection: not each counts. */
function newestOf(changes: readonly HealthChange[]) {
  const byDevice = Map.groupBy(changes, ({ deviceId }) => deviceId)
  return new Map(
    [...byDevice].map(([deviceId, own]) => [
      deviceId,
      {
        ...{ ...reportOf(own), deviceId },
        update_progress: own.findLast(({ update }) => update)?.update,
        runtime: own.findLast(({ runtime }) => runtime)?.runtime,
        ends: own.flatMap(({ leftAt, sessionId }) => (leftAt === undefined ? [] : [{ leftAt, sessionId }])),
      },
    ]),
  )
}
