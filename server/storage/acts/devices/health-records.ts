import type { HealthChange, HealthRecords } from '../../../devices/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, rows, toJson } from '../act.ts'
import { eventOf, tellOnline } from '../device-events.ts'

const READINGS = ['battery', 'signal', 'volume', 'queue']

/** Devices of a page. */
const PAGE = 500

/** A device that a partner has registered, with what the partner was told. */
interface ToldRow {
  rowId: number
  deviceId: string
  serial: string
  clientId: string
  lastBirthAt: number | null
  sessionId: string | null
  isOnline: boolean | number | null
  isBatteryLow: boolean | number | null
}

interface OnlineRow {
  rowId: number
  deviceId: string
  sessionId: string | null
  lastBirthAt: number | null
  reportedAt: number | null
  leftAt: number | null
  heardAt: number | null
}

type Newest = ReturnType<typeof newestOf>

export function createHealthRecords(
  engine: Engine,
  { isBatteryLow }: Pick<StorageRules, 'isBatteryLow'>,
): HealthRecords {
  const { reading, writing, events, lock, sessions, among, each, trueLiteral } = engine

  const told = (deviceIds: readonly string[]) =>
    rows<ToldRow>(
      'health.told',
      `SELECT d.number AS "rowId", d.id AS "deviceId", d.serial, d.client_id AS "clientId",
         d.last_birth_at AS "lastBirthAt",
         (SELECT s.session_id FROM ${sessions} s WHERE s.device_number = d.number) AS "sessionId",
         (SELECT t.is_online FROM device_told t WHERE t.device_number = d.number) AS "isOnline",
         (SELECT t.is_battery_low FROM device_told t WHERE t.device_number = d.number) AS "isBatteryLow"
       FROM devices d WHERE ${among('d.id', '$1')} AND d.client_id IS NOT NULL`,
      [deviceIds],
    )

  /** Locks devices in the order in which every act locks them, and reads those that a partner has registered. */
  function* lockTold(deviceIds: readonly string[]): Act<ToldRow[]> {
    yield* lock(
      'health.lock',
      `SELECT 1 FROM device_state
       WHERE device_number IN (SELECT number FROM devices WHERE ${among('id', '$1')}) ORDER BY device_number`,
      [deviceIds],
    )
    return yield* told(deviceIds)
  }

  /** What the newest reports change of what partners know of the batteries. */
  function newsOf(devices: readonly ToldRow[], reports: Newest) {
    return devices.flatMap((device) => {
      const { battery, at = 0 } = reports.get(device.deviceId) ?? {}
      if (battery === undefined) return []
      const wasLow = Boolean(device.isBatteryLow)
      const isLow = isBatteryLow(wasLow, battery)
      return isLow === wasLow ? [] : [{ device, isLow, battery, at }]
    })
  }

  /** Looks without locks first: almost no report changes anything. */
  function* noteBatteries(reports: Newest): Act<void> {
    const powered = [...reports.values()].filter(({ battery }) => battery !== undefined)
    if (powered.length === 0) return
    const seen = newsOf(yield* told(powered.map(({ deviceId }) => deviceId)), reports)
    if (seen.length === 0) return
    const news = newsOf(yield* lockTold(seen.map(({ device }) => device.deviceId)), reports)
    yield* rows(
      'health.tellBatteries',
      `INSERT INTO device_told (device_number, is_online, is_battery_low)
       SELECT cast(value ->> 'rowId' AS bigint), true, cast(value ->> 'isLow' AS boolean)
       FROM ${each('$1')} WHERE true
       ON CONFLICT (device_number) DO UPDATE SET is_battery_low = excluded.is_battery_low`,
      [toJson(news.map(({ device: { rowId }, isLow }) => ({ rowId, isLow })))],
    )
    const low = news.filter(({ isLow }) => isLow)
    yield* events(
      low.flatMap(({ device, at, battery }) => eventOf(device, 'device.battery_low', at, { battery })),
    )
  }

  return {
    record: writing(function* (changes) {
      const newest = newestOf(changes)
      yield* noteBatteries(newest)
      // By rising row: two hubs that record the same devices lock them in the same order.
      yield* rows(
        'health.record',
        `INSERT INTO device_health AS h (device_number, ${READINGS.join()}, reported_at, left_at, update_progress)
         SELECT d.number, ${READINGS.map((name) => `cast(c.value ->> '${name}' AS integer)`).join()},
           cast(c.value ->> 'at' AS bigint),
           (SELECT max(cast(e.value ->> 'leftAt' AS bigint)) FROM ${each("c.value -> 'ends'")} e
            WHERE coalesce(e.value ->> 'sessionId' = s.session_id, true)),
           c.value -> 'progress'
         FROM ${each('$1')} c JOIN devices d ON d.id = c.value ->> 'deviceId'
           JOIN ${sessions} s ON s.device_number = d.number
         WHERE true ORDER BY d.number
         ON CONFLICT (device_number) DO UPDATE SET
           ${READINGS.map((name) => `${name} = CASE WHEN excluded.reported_at IS NULL THEN h.${name} ELSE excluded.${name} END`).join()},
           reported_at = coalesce(excluded.reported_at, h.reported_at),
           left_at = coalesce(excluded.left_at, h.left_at),
           update_progress = coalesce(excluded.update_progress, h.update_progress)`,
        [toJson([...newest.values()])],
      )
    }),

    toldOnline: reading(function* (after = 0) {
      const found = yield* rows<OnlineRow>(
        'health.toldOnline',
        `SELECT t.device_number AS "rowId", d.id AS "deviceId", s.session_id AS "sessionId",
           d.last_birth_at AS "lastBirthAt", h.reported_at AS "reportedAt", h.left_at AS "leftAt",
           s.heard_at AS "heardAt"
         FROM device_told t JOIN devices d ON d.number = t.device_number
           JOIN ${sessions} s ON s.device_number = t.device_number
           LEFT JOIN device_health h ON h.device_number = t.device_number
         WHERE t.device_number > $1 AND t.is_online = ${trueLiteral} AND NOT s.is_running
         ORDER BY t.device_number LIMIT ${PAGE}`,
        [after],
      )
      const devices = found.map(({ deviceId, sessionId, lastBirthAt, reportedAt, leftAt, heardAt }) => ({
        ...{ deviceId, sessionId: sessionId ?? undefined },
        leftAt: Math.max(lastBirthAt ?? 0, reportedAt ?? 0, leftAt ?? 0, heardAt ?? 0),
      }))
      return { devices, next: found.length < PAGE ? undefined : found.at(-1)?.rowId }
    }),

    tellOffline: writing(function* (departures, at) {
      const byDevice = new Map(departures.map((departure) => [departure.deviceId, departure]))
      const devices = yield* lockTold([...byDevice.keys()])
      const gone = devices.flatMap((device) => {
        const departure = byDevice.get(device.deviceId)
        if (!departure || !device.isOnline) return []
        const { sessionId, leftAt } = departure
        // Another session may have had it since, and has given it up: that one tells of it.
        const isBack =
          device.sessionId === null ? (device.lastBirthAt ?? 0) > leftAt : device.sessionId !== sessionId
        return isBack ? [] : [{ device, leftAt }]
      })
      yield* tellOnline(
        engine,
        gone.map(({ device }) => device.rowId),
        false,
      )
      yield* events(
        gone.flatMap(({ device, leftAt }) =>
          eventOf(device, 'device.offline', at, { lastSeenAt: isoInstant(leftAt) }),
        ),
      )
    }),
  }
}

/** For each device the newest report and progress, and every end of a connection: not each counts. */
function newestOf(changes: readonly HealthChange[]) {
  const byDevice = Map.groupBy(changes, ({ deviceId }) => deviceId)
  return new Map(
    [...byDevice].map(([deviceId, own]) => [
      deviceId,
      {
        ...{ ...own.findLast(({ report }) => report)?.report, deviceId },
        progress: own.findLast(({ update }) => update)?.update,
        ends: own.flatMap(({ leftAt, sessionId }) => (leftAt === undefined ? [] : [{ leftAt, sessionId }])),
      },
    ]),
  )
}
