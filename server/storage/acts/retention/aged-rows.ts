import type { Pruned } from '../../ports.ts'
import { oldRows } from '../../shared/pages.ts'
import { type Act, type Engine, rows } from '../act.ts'

/** Rows that one commit deletes. Payments wait for it, and in a large SQLite file each row costs several pages. */
const PAGE = 25

/** A table whose rows are deleted in the order of a key. */
interface Aged {
  table: string
  key: string
  at: string
  /** The condition of the rows that are looked at. */
  where?: string
}

/** The keys of a page: above `after` and up to `upTo`. Those of them from before an instant are old. */
export type Old = [after: string | number, upTo: string | number, before: number]

export const isOld = ({ key, at }: Aged) => `${key} > $1 AND ${key} <= $2 AND ${at} < $3`

/** Deletes the old rows of one page by `remove`, which returns a row for each. A page with a young row is the last one. */
export function* pruneAged(
  { table, key, at, where = 'true' }: Aged,
  before: number,
  after: string | number,
  remove: (...old: Old) => Act<readonly unknown[]>,
  now?: number,
): Act<Pruned> {
  const page = yield* rows<{ key: string | number; at: number }>(
    `retention.${table}`,
    `SELECT ${key} AS key, ${at} AS at FROM ${table} WHERE ${key} > $1 AND ${where} ORDER BY ${key} LIMIT ${PAGE}`,
    [after],
  )
  const { old, isEnd } = oldRows(page, before, now)
  const [lastOld, last] = [old.at(-1), page.at(-1)]
  const removed = lastOld ? yield* remove(after, lastOld.key, before) : []
  const hasMore = last && !isEnd && page.length === PAGE
  return {
    deleted: removed.length,
    kept: old.length - removed.length,
    next: hasMore ? String(last.key) : undefined,
    reached: String(lastOld?.key ?? after),
  }
}

/** As `pruneAged`, for rows that nothing else belongs to. */
export function pruneRows(aged: Aged, before: number, after: string | number, isOver = 'true'): Act<Pruned> {
  return pruneAged(aged, before, after, (...old) =>
    rows(
      `retention.delete ${aged.table}`,
      `DELETE FROM ${aged.table} WHERE ${isOld(aged)} AND ${isOver} RETURNING 1`,
      old,
    ),
  )
}

/** Deletes a page of rows that have ended, by when they did. Leaves those that another transaction works on. */
export function* pruneEnded(
  { skipLocked }: Pick<Engine, 'skipLocked'>,
  table: string,
  isOver: string,
  at: number,
): Act<Pruned> {
  const { length: deleted } = yield* rows(
    `retention.delete ${table}`,
    `WITH page AS (SELECT id FROM ${table} WHERE ${isOver} ORDER BY expires_at LIMIT ${PAGE} ${skipLocked})
     DELETE FROM ${table} WHERE id IN (SELECT id FROM page) RETURNING 1`,
    [at],
  )
  return { deleted, next: deleted === PAGE ? '' : undefined }
}
