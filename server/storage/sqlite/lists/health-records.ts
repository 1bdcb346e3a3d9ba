import type { HealthRecords } from '../../../devices/ports.ts'
import type { OpenDatabase } from '../engine/database.ts'

interface ReportRow {
  deviceId: string
  battery: number | null
  signal: number | null
  volume: number | null
  queue: number | null
  at: number
}

export function createHealthRecords({ orm: { $client: sqlite }, writing }: OpenDatabase): HealthRecords {
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
  return {
    record: writing((changes) => {
      for (const { deviceId, report: said, update, leftAt, sessionId = null } of changes) {
        if (said) {
          const { battery = null, signal = null, volume = null, queue = null, at } = said
          report.run({ deviceId, battery, signal, volume, queue, at })
        }
        if (update) progress.run({ deviceId, progress: JSON.stringify(update) })
        if (leftAt !== undefined) leave.run({ deviceId, leftAt, sessionId })
      }
    }),
  }
}
