import type { Departure, HealthChange, HealthRecords } from '../../../devices/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import { carryOutAsync } from '../../acts/act.ts'
import { eventOf, tellOnline } from '../../acts/device-events.ts'
import type { StorageRules } from '../../rules.ts'
import { lockDevices } from '../acts/outbox/device-locks.ts'
import { POSTGRES, runOn } from '../engine/act-engine.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { columns, toJson } from '../rows/columns.ts'

const READINGS = ['battery', 'signal', 'volume', 'queue']

/** Devices of a page. */
const PAGE = 500

interface ToldRow {
  rowId: number
  deviceId: string
  serial: string
  clientId: string
  lastBirthAt: number | null
  isOnline: boolean | null
  isBatteryLow: boolean | null
}

export function createHealthRecords(
  { read, write }: PostgresDatabase,
  { isBatteryLow }: Pick<StorageRules, 'isBatteryLow'>,
): HealthRecords {
  /** Those of these devices that a partner has registered, with what it was told. */
  function readTold(query: Tx['query'], deviceIds: readonly string[]): Promise<ToldRow[]> {
    return query<ToldRow>(
      'health.told',
      `SELECT d.number AS "rowId", d.id AS "deviceId", d.serial, d.client_id AS "clientId",
         d.last_birth_at AS "lastBirthAt",
         (SELECT t.is_online FROM device_told t WHERE t.device_number = d.number) AS "isOnline",
         (SELECT t.is_battery_low FROM device_told t WHERE t.device_number = d.number) AS "isBatteryLow"
       FROM devices d
       WHERE d.id = ANY($1::text[]) AND d.client_id IS NOT NULL ORDER BY d.number`,
      [deviceIds],
    )
  }

  /** What the newest reports change of what partners know of the batteries. */
  async function batteryNews(query: Tx['query'], changes: ReturnType<typeof newestOf>) {
    const reports = new Map(changes.map((change) => [change.deviceId, change]))
    const told = await readTold(query, [...reports.keys()])
    return told.flatMap((row) => {
      const { battery, at = 0 } = reports.get(row.deviceId) ?? {}
      if (battery === undefined) return []
      const wasLow = row.isBatteryLow === true
      const isLow = isBatteryLow(wasLow, battery)
      return isLow === wasLow ? [] : [{ row, rowId: row.rowId, isLow, battery, at }]
    })
  }

  /** Looks without locks first: almost no report changes anything. */
  async function noteBatteries(tx: Tx, changes: ReturnType<typeof newestOf>) {
    const seen = await batteryNews(tx.query, changes)
    if (seen.length === 0) return
    await lockDevices(
      tx,
      seen.map(({ row }) => row.deviceId),
    )
    const ids = new Set(seen.map(({ row }) => row.deviceId))
    const news = await batteryNews(
      tx.query,
      changes.filter(({ deviceId }) => ids.has(deviceId)),
    )
    await tx.query(
      'health.tellBatteries',
      `INSERT INTO device_told (device_number, is_online, is_battery_low)
       SELECT number, true, is_low FROM unnest($1::bigint[], $2::boolean[]) AS v (number, is_low)
       ON CONFLICT (device_number) DO UPDATE SET is_battery_low = excluded.is_battery_low`,
      columns(news, 'rowId', 'isLow'),
    )
    const low = news.filter(({ isLow }) => isLow)
    const events = low.flatMap(({ row, at, battery }) => eventOf(row, 'device.battery_low', at, { battery }))
    await carryOutAsync(POSTGRES.events(events), runOn(tx.query))
  }

  return {
    record: (changes) =>
      write(async (tx) => {
        const newest = newestOf(changes)
        await noteBatteries(tx, newest)
        // By rising row: two hubs that record the same devices lock them in the same order.
        await tx.query(
          'health.record',
          `INSERT INTO device_health AS h (device_number, ${READINGS.join()}, reported_at, left_at, update_progress)
           SELECT d.number, ${READINGS.map((name) => `c.${name}`).join()}, c.at, left_at, c.progress
           FROM jsonb_to_recordset($1) AS c("deviceId" text, battery int, signal int, volume int, queue int,
               at bigint, ends jsonb, progress jsonb)
             JOIN devices d ON d.id = c."deviceId"
             JOIN device_state s ON s.device_number = d.number
             LEFT JOIN LATERAL (
               SELECT (ended ->> 'leftAt')::bigint AS left_at
               FROM jsonb_array_elements(c.ends) WITH ORDINALITY AS e (ended, place)
               WHERE coalesce(ended ->> 'sessionId' = s.session_id, true) ORDER BY place DESC LIMIT 1
             ) newest_end ON true
           ORDER BY d.number
           ON CONFLICT (device_number) DO UPDATE SET
             ${READINGS.map((name) => `${name} = CASE WHEN excluded.reported_at IS NULL THEN h.${name} ELSE excluded.${name} END`).join()},
             reported_at = coalesce(excluded.reported_at, h.reported_at),
             left_at = coalesce(excluded.left_at, h.left_at),
             update_progress = coalesce(excluded.update_progress, h.update_progress)`,
          [toJson(newest)],
        )
      }),

    async toldOnline(after = 0) {
      const found = await read<{ rowId: number; deviceId: string; sessionId: string | null; leftAt: number }>(
        'health.toldOnline',
        `SELECT t.device_number AS "rowId", d.id AS "deviceId", s.session_id AS "sessionId",
           greatest(d.last_birth_at, h.reported_at, h.left_at, b.beat_at, 0) AS "leftAt"
         FROM device_told t JOIN devices d ON d.number = t.device_number
           JOIN device_state s ON s.device_number = t.device_number
           LEFT JOIN device_health h ON h.device_number = t.device_number
           LEFT JOIN hubs b ON b.id = s.hub
         WHERE t.device_number > $1 AND t.is_online
           AND (s.session_id IS NULL OR NOT EXISTS (SELECT 1 FROM live_hubs l WHERE l.id = s.hub))
         ORDER BY t.device_number LIMIT ${PAGE}`,
        [after],
      )
      const devices = found.map(
        ({ deviceId, sessionId, leftAt }): Departure => ({
          ...{ deviceId, leftAt },
          sessionId: sessionId ?? undefined,
        }),
      )
      return { devices, next: found.length < PAGE ? undefined : found.at(-1)?.rowId }
    },

    tellOffline: (departures, at) =>
      write(async (tx) => {
        const byDevice = new Map(departures.map((departure) => [departure.deviceId, departure]))
        const ids = [...byDevice.keys()]
        const [locked, told] = await Promise.all([lockDevices(tx, ids), readTold(tx.query, ids)])
        const gone = told.flatMap((row) => {
          const [departure, device] = [byDevice.get(row.deviceId), locked.get(row.deviceId)]
          if (!departure || !device || row.isOnline !== true) return []
          // Another hub may have had it since, and has let it go: that one tells of it.
          const { sessionId, leftAt } = departure
          const isAgain = (device.sessionId ?? sessionId) !== sessionId || (row.lastBirthAt ?? 0) > leftAt
          return isAgain ? [] : [{ row, leftAt }]
        })
        const rowIds = gone.map(({ row }) => row.rowId)
        await carryOutAsync(tellOnline(POSTGRES, rowIds, false), runOn(tx.query))
        const events = gone.flatMap(({ row, leftAt }) =>
          eventOf(row, 'device.offline', at, { lastSeenAt: isoInstant(leftAt) }),
        )
        await carryOutAsync(POSTGRES.events(events), runOn(tx.query))
      }),
  }
}

/** One row for each device, with the newest report and progress, and every end of a connection: not each counts. */
function newestOf(changes: readonly HealthChange[]) {
  const byDevice = Map.groupBy(changes, ({ deviceId }) => deviceId)
  return [...byDevice].map(([deviceId, own]) => ({
    ...{ ...own.findLast(({ report }) => report)?.report, deviceId },
    progress: own.findLast(({ update }) => update)?.update,
    ends: own.flatMap(({ leftAt, sessionId }) => (leftAt === undefined ? [] : [{ leftAt, sessionId }])),
  }))
}
