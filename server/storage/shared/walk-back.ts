import type { Page, PageRequest } from '../../platform/page.ts'

/** Rows that one read looks at: a few milliseconds. */
const LOOKED_AT = 5_000

/** Numbers of rows. */
export interface Window {
  from: number
  /** Not included. */
  below: number
  limit: number
}

/**
 * Reads one page of a table of numbered rows, from the highest number down to `least`. `read` returns those rows of a
 * window that match, newest first.
 *
 * Why windows: an index for each filter would cost every payment its write. A window bounds the cost of one read
 * whatever the filter is, and the numbers rise with the time, so a list of a day reads that day only.
 */
export async function walkBack<Row extends { rowId: number }>(
  { limit, after }: PageRequest,
  { least, below }: Pick<Window, 'below'> & { least: number },
  read: (window: Window) => Row[] | Promise<Row[]>,
): Promise<{ rows: Row[]; next: string | undefined }> {
  const top = Math.min(below, after === undefined ? below : Number(after))
  const from = Math.max(least, top - LOOKED_AT)
  const rows = top > from && limit > 0 ? await read({ from, below: top, limit }) : []
  const last = rows.length === limit ? rows.at(-1)?.rowId : undefined
  const reached = last ?? from
  return { rows, next: reached > least ? String(reached) : undefined }
}

/** Rows of one moment are stored in another order than they arrived in, and clocks are corrected. */
const OUT_OF_ORDER_MS = 10 * 60_000

/** The first row from a number on. */
type First = { rowId: number; at: number } | undefined

/**
 * The numbers of a table's rows between two instants, and a few more. `first` finds the first row from a number on. It
 * is asked some twenty times for a million rows, because the numbers rise with the time.
 */
export async function numbersBetween(
  { from, until }: { from?: number | undefined; until?: number | undefined },
  highest: number,
  first: (number: number) => First | Promise<First>,
): Promise<{ least: number; below: number }> {
  async function lowestAt(at: number): Promise<number> {
    let [low, high] = [0, highest + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = await first(middle)
      if (!row || row.at >= at) high = middle
      else low = row.rowId + 1
    }
    return low
  }
  const least = from === undefined ? 0 : await lowestAt(from - OUT_OF_ORDER_MS)
  return {
    // Rows below the first one were deleted: nobody has to look for them.
    least: Math.max(least, (await first(0))?.rowId ?? 0),
    below: until === undefined ? highest + 1 : await lowestAt(until + OUT_OF_ORDER_MS),
  }
}

/** The page of the domain. */
export function placed<Row extends { rowId: number }, T>(
  { rows, next }: { rows: Row[]; next: string | undefined },
  toItem: (row: Row) => T,
): Page<T> {
  return { rows: rows.map((row) => ({ ...toItem(row), cursor: String(row.rowId) })), next }
}
