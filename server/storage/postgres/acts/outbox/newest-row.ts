import type { Tx } from '../../engine/database.ts'

/** The highest row id of an announcement. */
export async function newestRowId(query: Tx['query']): Promise<number> {
  const [row] = await query<{ newest: number | null }>(
    'outbox newest',
    'SELECT max(number) AS newest FROM announcements',
  )
  return row?.newest ?? 0
}
