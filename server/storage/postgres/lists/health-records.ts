import type { HealthChange, HealthRecords } from '../../../devices/ports.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { toJson } from '../rows/columns.ts'

const READINGS = ['battery', 'signal', 'volume', 'queue']

export function createHealthRecords({ write }: PostgresDatabase): HealthRecords {
  return {
    record: (changes) =>
      write(async (tx) => {
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
          [toJson(newestOf(changes))],
        )
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
