import type { Page, PageRequest } from '../../platform/page.ts'

/** Rows that one read looks at: about a millisecond. */
export const LOOKED_AT = 1_024

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
export type ChooseRange = (top: number, least: number) => Range | Promise<Range>

/** The next rows, a bounded number of them. */
export const nextRows =
  (count: number): ChooseRange =>
  (top, least) => ({ from: Math.max(least, top - count), below: top })

/** All rows: for a filter that few of them match, by an index. */
export const allRows: ChooseRange = (top, least) => ({ from: least, below: top })

/**
 * Reads one page of a table of numbered rows, from the highest number down to `least`. `read` returns those rows of a
 * window that match, newest first.
 *
 * Why windows: an index for each filter would cost every payment its write. A window bounds the cost of one read
 * whatever the filter is, and the numbers rise with the time, so a list of a day reads that day only.
 */
export async function walkBack<Row extends { rowId: number }>(
  { limit, after }: PageRequest,
  { least, below }: Pick<Range, 'below'> & { least: number },
  read: (window: Window) => Row[] | Promise<Row[]>,
  choose: ChooseRange = nextRows(LOOKED_AT),
): Promise<{ rows: Row[]; next: string | undefined }> {
  const top = Math.min(below, after === undefined ? below : Number(after))
  if (top <= least || limit <= 0) return { rows: [], next: top > least ? String(top) : undefined }
  const range = await choose(top, least)
  const rows = range.below > range.from ? await read({ ...range, limit }) : []
  const last = rows.length === limit ? rows.at(-1)?.rowId : undefined
  const reached = last ?? range.from
  return { rows, next: reached > least ? String(reached) : undefined }
}

/** Rows of one moment are stored in another order than they arrived in, and clocks are corrected. */
const OUT_OF_ORDER_MS = 10 * 60_000

/** The first row from a number on. */
type First = { rowId: number; at: number } | undefined

/** The lowest number from which on rows are of an instant or later, among those up to a number. */
export type LowestAt = (at: number, highest: number) => number | Promise<number>

/** Halves the numbers: `first` finds the first row from a number on. It is asked some twenty times for a million rows. */
export function halving(first: (number: number) => First): LowestAt {
  return (at, highest) => {
    let [low, high] = [0, highest + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = first(middle)
      if (!row || row.at >= at) high = middle
      else low = row.rowId + 1
    }
    return low
  }
}

/** The numbers of a table's rows between two instants, and a few more: the numbers rise with the time. */
export async function numbersBetween(
  { from, until }: { from?: number | undefined; until?: number | undefined },
  { lowest, highest }: { lowest: number; highest: number },
  lowestAt: LowestAt,
): Promise<{ least: number; below: number }> {
  const least = from === undefined ? 0 : await lowestAt(from - OUT_OF_ORDER_MS, highest)
  return {
    // Rows below the first one were deleted: nobody has to look for them.
    least: Math.max(least, lowest),
    below: until === undefined ? highest + 1 : await lowestAt(until + OUT_OF_ORDER_MS, highest),
  }
}

/** The page of the domain. */
export function placed<Row extends { rowId: number }, T>(
  { rows, next }: { rows: Row[]; next: string | undefined },
  toItem: (row: Row) => T,
): Page<T> {
  return { rows: rows.map((row) => ({ ...toItem(row), cursor: String(row.rowId) })), next }
}
