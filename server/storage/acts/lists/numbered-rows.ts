import { type Act, row } from '../act.ts'
import type { ChooseRange } from './walk-back.ts'

/** Tables of numbered rows, each with the column of its time. */
const TIMES = {
  stores: 'created_at',
  devices: 'created_at',
  payments: 'received_at',
  announcements: 'queued_at',
}

/** Rows of one moment are stored in another order than they arrived in, and clocks are corrected. */
const OUT_OF_ORDER_MS = 10 * 60_000

/** Instants. `until` is not included. */
interface Between {
  from?: number | undefined
  until?: number | undefined
}

/**
 * The numbers of a table's rows between two instants, and a few more: the numbers rise with the time. Numbers are halved,
 * some twenty times for a million rows, down to the lowest one from which on rows are of an instant or later.
 */
export function* boundsOf(
  table: keyof typeof TIMES,
  { from, until }: Between = {},
): Act<{ least: number; below: number; highest: number }> {
  const lowestOf = (at: string) => `(SELECT low FROM search WHERE at = ${at} AND low >= high LIMIT 1)`
  const found = yield* row<{ lowest: number; below: number; from: number | null; until: number | null }>(
    `lists.bounds ${table}`,
    `WITH RECURSIVE ends (lowest, below) AS (
       SELECT coalesce((SELECT min(number) FROM ${table}), 0), coalesce((SELECT max(number) FROM ${table}), 0) + 1
     ), search (at, low, high) AS (
       SELECT CAST($1 AS bigint), CAST(0 AS bigint), below FROM ends
       UNION ALL
       SELECT CAST($2 AS bigint), CAST(0 AS bigint), below FROM ends
       UNION ALL
       SELECT at, CASE WHEN t.${TIMES[table]} < at THEN t.number + 1 ELSE low END,
         CASE WHEN t.${TIMES[table]} < at THEN high ELSE (low + high) / 2 END
       FROM search LEFT JOIN ${table} t
         ON t.number = (SELECT n.number FROM ${table} n WHERE n.number >= (low + high) / 2 ORDER BY n.number LIMIT 1)
       WHERE low < high AND at IS NOT NULL
     )
     SELECT lowest, below, ${lowestOf('$1')} AS "from", ${lowestOf('$2')} AS until FROM ends`,
    [moved(from, -OUT_OF_ORDER_MS), moved(until, OUT_OF_ORDER_MS)],
  )
  const { lowest = 0, below = 1 } = found ?? {}
  // Rows below the first one were deleted: nobody has to look for them.
  return { least: Math.max(found?.from ?? 0, lowest), below: found?.until ?? below, highest: below - 1 }
}

const moved = (at: number | undefined, byMs: number) => at && at + byMs

/** Chooses the next rows with a value, so many of them, by the index of its column and the rows' numbers. */
export const rowsWith = (
  table: 'devices' | 'stores' | 'payments',
  column: string,
  value: unknown,
  count: number,
): ChooseRange =>
  function* (top, least) {
    const last = yield* row<{ number: number }>(
      `lists.next ${table} by ${column}`,
      // The indexes of codes have no empty ones.
      `SELECT number FROM ${table} WHERE ${column} = $1 AND ${column} <> '' AND number < $2 AND number >= $3
       ORDER BY number DESC LIMIT 1 OFFSET $4`,
      [value, top, least, count - 1],
    )
    return { from: last?.number ?? least, below: top }
  }
