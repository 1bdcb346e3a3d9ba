import { type Act, row, rows } from '../../acts/act.ts'
import { WIDTH } from '../schema/statements.ts'
import { ddl, lockPartitions, TABLES } from './partitions.ts'

/** The partition that new payments go to, with the number of the next one. */
export const readNewest = () =>
  row<{ number: number; least: number; begunAt: number; next: number }>(
    'partitions.newest',
    `SELECT p.number, p.least, p.begun_at AS "begunAt", s.last_value + s.is_called::integer AS next
     FROM partitions p, payments_number_seq s
     WHERE p.series = 'payments' AND p.begun_at IS NOT NULL ORDER BY p.number DESC LIMIT 1`,
  )

/** Lets new payments go to a partition that is there, empty, and makes the one behind it. */
export function* begin(number: number, at: number): Act<void> {
  yield* lockPartitions()
  const begun = yield* row<{ least: number }>(
    'partitions.begin',
    `UPDATE partitions SET begun_at = $2 WHERE series = 'payments' AND number = $1 AND begun_at IS NULL RETURNING least`,
    [number, at],
  )
  if (!begun) return
  yield* make(number + 1, begun.least + WIDTH)
  yield* riseTo(begun.least)
}

/** Makes partitions of both tables, while hubs go on. */
function* make(number: number, least: number): Act<void> {
  for (const table of TABLES) {
    const made = `${table}_${number}`
    // A stage is written beside the one before.
    const room = table === 'announcements' ? 'WITH (fillfactor = 80)' : ''
    yield* ddl(`CREATE TABLE ${made} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) ${room}`)
    if (table === 'announcements') yield* ddl(`CREATE UNIQUE INDEX ${made}_id_key ON ${made} (id)`)
    yield* ddl(
      `ALTER TABLE ${table} ATTACH PARTITION ${made} FOR VALUES FROM (${least}) TO (${least + WIDTH})`,
    )
  }
  yield* rows(
    'partitions.addPayments',
    "INSERT INTO partitions (series, number, least, is_whole, copied_to) VALUES ('payments', $1, $2, true, 0)",
    [number, least],
  )
}

/** Announcements first: no announcement has a number below its payment's partition. Nothing undoes it, also no rollback. */
export function* riseTo(least: number): Act<void> {
  yield* lockPartitions()
  for (const table of [...TABLES].reverse())
    yield* rows(
      `partitions.rise ${table}`,
      `SELECT setval('${table}_number_seq', greatest($1, (SELECT max(number) + 1 FROM ${table})), false)
       FROM ${table}_number_seq WHERE last_value < $1`,
      [least],
    )
}
