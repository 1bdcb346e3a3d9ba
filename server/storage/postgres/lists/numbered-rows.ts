import { type LowestAt, nextRows } from '../../shared/walk-back.ts'
import type { Tx } from '../engine/database.ts'

/** Tables of numbered rows, each with the column of its time. */
const TIMES = { payments: 'received_at', announcements: 'queued_at' }

/** Rows that one read looks at: some ten milliseconds of the server. */
export const SCANNED = 10_000
/** Rows in which one read looks for what an index finds. */
export const INDEXED = 250_000

/** The lowest and the highest number of a table's rows; 0 when it is empty. */
export async function endsOf(
  query: Tx['query'],
  table: keyof typeof TIMES,
): Promise<{ lowest: number; highest: number }> {
  const [row] = await query<{ lowest: number; highest: number }>(
    `lists.ends ${table}`,
    `SELECT coalesce((SELECT min(number) FROM ${table}), 0) AS lowest,
       coalesce((SELECT max(number) FROM ${table}), 0) AS highest`,
  )
  return row ?? { lowest: 0, highest: 0 }
}

/** Halves the numbers in one statement. */
export function lowestAt(query: Tx['query'], table: keyof typeof TIMES): LowestAt {
  return async (at, highest) => {
    const [row] = await query<{ number: number }>(
      `lists.lowest ${table}`,
      `WITH RECURSIVE search (low, high) AS (
         SELECT 0::bigint, $1::bigint + 1
         UNION ALL
         SELECT CASE WHEN r.at < $2 THEN r.number + 1 ELSE low END,
           CASE WHEN r.at < $2 THEN high ELSE (low + high) / 2 END
         FROM search LEFT JOIN LATERAL (
           SELECT t.number, t.${TIMES[table]} AS at FROM ${table} t WHERE t.number >= (low + high) / 2
           ORDER BY t.number LIMIT 1
         ) r ON true
         WHERE low < high
       )
       SELECT low AS number FROM search WHERE low >= high LIMIT 1`,
      [highest, at],
    )
    return row?.number ?? highest + 1
  }
}

export const scan = nextRows(SCANNED)
