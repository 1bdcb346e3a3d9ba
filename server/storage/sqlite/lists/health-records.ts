import type { Departure, HealthRecords } from '../../../devices/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { EventRows } from '../rows/event-rows.ts'

interface ReportRow {
  deviceId: string
  battery: number | null
  signal: number | null
  volume: number | null
  queue: number | null
  at: number
}

interface ToldRow {
  rowId: number
  serial: string
  clientId: string
  sessionId: string | null
  isOnline: number | null
  isBatteryLow: number | null
}

/** Devices of a page. */
const PAGE = 500

export function createHealthRecords(
  { orm: { $client: sqlite }, writing }: OpenDatabase,
  events: EventRows,
  { isBatteryLow }: Pick<StorageRules, 'isBatteryLow'>,
): HealthRecords {
  const report = sqlite.prepare<ReportRow>(
    `INSERT INTO device_health (device_number, battery, signal, volume, queue, reported_at)
     SELECT number, @battery, @signal, @volume, @queue, @at FROM devices WHERE id = @deviceId
     ON CONFLICT (device_number) DO UPDATE SET battery = excluded.battery, signal = excluded.signal,
       volume = excluded.volume, queue = excluded.queue, reported_at = excluded.reported_at`,
  )
  const leave = sqlite.prepare<{ deviceId: string; leftAt: number; sessionId: string | null }>(
    `INSERT INTO device_health (device_number, left_at) SELECT number, @leftAt FROM devices
     WHERE id = @deviceId AND (@sessionId IS NULL OR session_id IS NULL OR session_id = @sessionId)
     ON CONFLICT (device_number) DO UPDATE SET left_at = excluded.left_at`,
  )
  const progress = sqlite.prepare<{ deviceId: string; progress: string }>(
    `INSERT INTO device_health (device_number, update_progress) SELECT number, @progress FROM devices WHERE id = @deviceId
     ON CONFLICT (device_number) DO UPDATE SET update_progress = excluded.update_progress`,
  )
  const registered = sqlite.prepare<[deviceId: string], ToldRow>(
    `SELECT d.number AS rowId, d.serial, d.client_id AS clientId, d.session_id AS sessionId,
       t.is_online AS isOnline, t.is_battery_low AS isBatteryLow
     FROM devices d LEFT JOIN device_told t ON t.device_number = d.number
     WHERE d.id = ? AND d.client_id IS NOT NULL`,
  )
  const toldOnline = sqlite.prepare<[after: number], Departure & { rowId: number }>(
    `SELECT t.device_number AS rowId, d.id AS deviceId, d.session_id AS sessionId,
       max(coalesce(d.last_birth_at, 0), coalesce(h.reported_at, 0), coalesce(h.left_at, 0)) AS leftAt
     FROM device_told t JOIN devices d ON d.number = t.device_number
       LEFT JOIN device_health h ON h.device_number = t.device_number
     WHERE t.device_number > ? AND t.is_online = 1 ORDER BY t.device_number LIMIT ${PAGE}`,
  )

  function noteBattery(deviceId: string, percent: number, at: number) {
    const row = registered.get(deviceId)
    const wasLow = row?.isBatteryLow === 1
    const isLow = isBatteryLow(wasLow, percent)
    if (!row || isLow === wasLow) return
    events.setBatteryLow(row.rowId, isLow)
    if (isLow) events.addOf(row, 'device.battery_low', at, { battery: percent })
  }

  return {
    record: writing((changes) => {
      for (const { deviceId, report: said, update, leftAt, sessionId = null } of changes) {
        if (said) {
          const { battery = null, signal = null, volume = null, queue = null, at } = said
          report.run({ deviceId, battery, signal, volume, queue, at })
          if (battery !== null) noteBattery(deviceId, battery, at)
        }
        if (update) progress.run({ deviceId, progress: JSON.stringify(update) })
        if (leftAt !== undefined) leave.run({ deviceId, leftAt, sessionId })
      }
    }),

    toldOnline: reading((after = 0) => {
      const found = toldOnline.all(after)
      const devices = found.map(({ rowId: _, sessionId, ...one }) => ({
        ...one,
        sessionId: sessionId ?? undefined,
      }))
      return { devices, next: found.length < PAGE ? undefined : found.at(-1)?.rowId }
    }),

    tellOffline: writing((departures, at) => {
      for (const { deviceId, sessionId, leftAt } of departures) {
        const row = registered.get(deviceId)
        if (row?.isOnline !== 1 || (row.sessionId ?? undefined) !== sessionId) continue
        events.setOnline(row.rowId, false)
        events.addOf(row, 'device.offline', at, { lastSeenAt: isoInstant(leftAt) })
      }
    }),
  }
}
