import type { Tx } from '../engine/database.ts'

/** Tables of numbered rows, each with the column of its time. */
const TIMES = { payments: 'received_at', announcements: 'queued_at' }

/** The highest number of a table's rows; 0 when it is empty. */
export async function highestRowId(
  query: Tx['query'],
  table: 'devices' | 'stores' | keyof typeof TIMES,
): Promise<number> {
  const [row] = await query<{ highest: number | null }>(
    `lists.highest ${table}`,
    `SELECT max(number) AS highest FROM ${table}`,
  )
  return row?.highest ?? 0
}

/** Finds the first row of a table from a number on. */
export function firstRow(query: Tx['query'], table: keyof typeof TIMES) {
  return async (number: number) => {
    const [row] = await query<{ rowId: number; at: number }>(
      `lists.first ${table}`,
      `SELECT number AS "rowId", ${TIMES[table]} AS at FROM ${table} WHERE number >= $1 ORDER BY number LIMIT 1`,
      [number],
    )
    return row
  }
}
