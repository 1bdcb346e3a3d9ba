import type { FeedItem } from '../../speaker/feed.ts'
import type { Area } from '../drawing/area.ts'
import { entryOf, type LogEntry } from './entries.ts'
import { type LogLine, linesOf } from './lines.ts'

/** What a reader looks at. */
export interface LogPlace {
  /** The item of the marked line; undefined: the newest line, and the log follows. */
  at: FeedItem | undefined
  /** An item of the lowest line in the window. */
  bottom: FeedItem | undefined
}

/** The entries of the log that are in sight. */
export interface LogWindow {
  from: number
  /** One more than the last one. */
  to: number
  /** The marked entry; -1 in an empty log. */
  marked: number
}

/**
 * The window onto the log. While somebody reads, it stays where it is, whatever arrives below it, and moves only as far
 * as the marked line takes it.
 */
export function windowOf(
  entries: readonly LogEntry[],
  log: readonly FeedItem[],
  { at, bottom }: LogPlace,
  { columns, rows }: Area,
): LogWindow {
  const last = entries.length - 1
  if (last < 0) return { from: 0, to: 0, marked: -1 }
  const height = (index: number) => {
    const entry = entries[index]
    return entry ? linesOf(entry.row, columns).length : 0
  }
  const marked = at ? entryOf(at, entries, log) : last
  const lowest = at && bottom ? Math.max(marked, entryOf(bottom, entries, log)) : at ? marked : last
  let [from, to] = [lowest, lowest + 1]
  let used = height(lowest)
  const growUp = () => {
    while (from > 0 && used + height(from - 1) <= rows) {
      from -= 1
      used += height(from)
    }
  }
  growUp()
  const isAbove = marked < from
  if (isAbove) {
    from = marked
    to = marked + 1
    used = height(marked)
  }
  // A log that is shorter than its window, or a window that has moved up, has room below.
  while ((isAbove || from === 0) && to <= last && used + height(to) <= rows) {
    used += height(to)
    to += 1
  }
  growUp()
  return { from, to, marked }
}

/** A line of the window and the entry that it belongs to. */
export type WindowLine = LogLine & { entry: number }

/** The lines of the window, newest last. Above a window with room left, the end of the entry before it. */
export function windowLines(
  entries: readonly LogEntry[],
  { from, to }: LogWindow,
  { columns, rows }: Area,
): WindowLine[] {
  if (rows < 1) return []
  const lines = (index: number): WindowLine[] => {
    const entry = entries[index]
    return entry ? linesOf(entry.row, columns).map((line) => ({ ...line, entry: index })) : []
  }
  const shown = Array.from({ length: to - from }, (_, index) => lines(from + index)).flat()
  const above = shown.length < rows && from > 0 ? lines(from - 1).slice(shown.length - rows) : []
  return [...above, ...shown].slice(-rows)
}
