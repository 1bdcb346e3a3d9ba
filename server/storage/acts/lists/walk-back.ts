import type { Page, PageRequest } from '../../../platform/page.ts'
import { type Act, row } from '../act.ts'

/** Numbers of rows. */
export interface Range {
  from: number
  /** Not included. */
  below: number
}

/** A range of which one read returns so many rows. */
export interface Window extends Range {
  limit: number
}

/**
 * Chooses the rows that the next read looks at: below `top`, from `least` on. Above the range nothing may match. An
 * empty range means that nothing was found down to its `from`.
 */
export type ChooseRange = (top: number, least: number) => Range | Act<Range>

/** The next rows, a bounded number of them. Numbers have gaps, and large ones between PostgreSQL's partitions. */
export const nextRows = (table: string, count: number) =>
  function* (top: number, least: number): Act<Range> {
    const last = yield* row<{ number: number | null }>(
      `lists.next ${table}`,
      `SELECT max(number) AS number FROM ${table} WHERE number >= $1 AND number < $2`,
      [least, top],
    )
    const below = (last?.number ?? least - 1) + 1
    return { from: Math.max(least, below - count), below }
  }

/** All rows: for a filter that few of them match, by an index. */
export const allRows: ChooseRange = (top, least) => ({ from: least, below: top })

/**
 * Reads one page of a table of numbered rows, from the highest number down to `least`. `read` returns those rows of a
 * window that match, newest first.
 *
 * Why windows: an index for each filter would cost every payment its write. A window bounds the cost of one read
 * whatever the filter is, and the numbers rise with the time, so a list of a day reads that day only.
 */
export function* walkBack<Row extends { rowId: number }>(
  { limit, after }: PageRequest,
  { least, below }: { least: number; below: number },
  read: (window: Window) => Act<Row[]>,
  choose: ChooseRange,
): Act<{ rows: Row[]; next: string | undefined }> {
  const top = Math.min(below, after === undefined ? below : Number(after))
  if (top <= least || limit <= 0) return { rows: [], next: top > least ? String(top) : undefined }
  const chosen = choose(top, least)
  const range = 'from' in chosen ? chosen : yield* chosen
  const rows = range.below > range.from ? yield* read({ ...range, limit }) : []
  const last = rows.length === limit ? rows.at(-1)?.rowId : undefined
  const reached = last ?? range.from
  return { rows, next: reached > least ? String(reached) : undefined }
}

/** The page of the domain. */
export function placed<Row extends { rowId: number }, T>(
  { rows, next }: { rows: Row[]; next: string | undefined },
  toItem: (row: Row) => T,
): Page<T> {
  return { rows: rows.map((row) => ({ ...toItem(row), cursor: String(row.rowId) })), next }
}
