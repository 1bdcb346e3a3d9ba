/**
 * Rows of a page of a long act. Other writes wait for one page at most: in SQLite a commit with a page takes some 5 ms
 * longer (measured, 500 announcements), and the payments of that commit with it.
 */
export const PAGE = 500
/** Rows of the first page, which is almost always the only one. */
export const FIRST_PAGE = 50

/** A page of a long act. */
export interface Page<C, V> {
  value: V
  /** Where the next page begins. Undefined after the last one. */
  next: C | undefined
}

/** Carries out a long act page by page. `page` gets `first`, then what the page before has returned, until that is none. */
export async function inPages<C>(first: C, page: (cursor: C) => Promise<C | undefined>): Promise<void> {
  for (let cursor: C | undefined = first; cursor !== undefined; ) cursor = await page(cursor)
}

/** Where a page of the announcements begins that a birth reconciles. */
export interface ReconcileCursor {
  /** Announcements of each list that the page reads. */
  limit: number
  /** The open announcements up to this number. Those that get a new number are above it, and are not read again. */
  openUpTo: number
  /** Undefined once all open announcements are reconciled. */
  openAfter: number | undefined
  unseenAfter: number
}

export function firstCursor(highestNumber: number): ReconcileCursor {
  return { limit: FIRST_PAGE, openUpTo: highestNumber, openAfter: 0, unseenAfter: 0 }
}

/**
 * The announcements of a page: open ones, and behind the last of these the missed ones. Call it before they get new
 * numbers. `next` is undefined after the last page.
 */
export function pageOf<Row extends { rowId: number; n: number }>(
  cursor: ReconcileCursor,
  open: readonly Row[],
  missed: readonly Row[],
): { rows: Row[]; next: ReconcileCursor | undefined } {
  const { limit } = cursor
  const isOpenDone = open.length < limit
  const unseen = isOpenDone ? missed : []
  const rows = [...open, ...unseen]
  if (isOpenDone && unseen.length < limit) return { rows, next: undefined }
  const openAfter = isOpenDone ? undefined : open.at(-1)?.n
  const unseenAfter = unseen.at(-1)?.rowId ?? cursor.unseenAfter
  return { rows, next: { ...cursor, limit: PAGE, openAfter, unseenAfter } }
}

/** The newest payments that tell the time of the storage: see Retention.newestReceivedAt. */
export const NEWEST = 1_000

/**
 * The old rows of a page. `isEnd`: behind it are only young ones. With `now`, the page is in the order in which its rows
 * were stored: a row behind a young one is young, whatever its time, because the clock was behind; and a time after `now`
 * says nothing, because the clock was ahead.
 */
export function oldRows<R extends { at: number }>(page: readonly R[], before: number, now?: number) {
  const isOld = ({ at }: R) => at < before
  if (now === undefined) return { old: page.filter(isOld), isEnd: !page.every(isOld) }
  const young = page.findIndex(({ at }) => at >= before && at <= now)
  return { old: page.slice(0, young < 0 ? page.length : young).filter(isOld), isEnd: young >= 0 }
}
