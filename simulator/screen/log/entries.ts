import type { FeedItem } from '../../speaker/feed.ts'
import { timeOfDay } from '../drawing/clock-text.ts'
import { type Filter, type LogRow, logRow, rowText } from './rows.ts'
import { holds } from './search.ts'

/** What of the feed the log shows. */
export interface LogChoice {
  kinds: Filter
  /** Only lines with this text; empty: all. */
  only: string
  /** Show every line of telemetry. Otherwise neighbouring ones are one line with their count. */
  unfolded: boolean
}

/** One entry of the log: a row, or several rows of telemetry as one. */
export interface LogEntry {
  row: LogRow
  /** The indexes of its first and last item in the feed. */
  first: number
  last: number
  /** The number of rows that it stands for. */
  count: number
}

/** The entries of the log, oldest first. */
export function entriesOf(log: readonly FeedItem[], { kinds, only, unfolded }: LogChoice): LogEntry[] {
  const entries: LogEntry[] = []
  log.forEach((item, index) => {
    const row = logRow(item, kinds)
    if (!row || (only !== '' && !holds(rowText(row), only))) return
    const last = entries.at(-1)
    if (!unfolded && row.isTelemetry && last?.row.isTelemetry) {
      last.last = index
      last.count += 1
      last.row = foldedRow(row.atMs, last.count)
    } else entries.push({ row, first: index, last: index, count: 1 })
  })
  return entries
}

/**
 * The index of the entry that holds the item, or else of the last entry before it; 0 when there is none. An item that is
 * not in the log, because the log has dropped it or has jumped to another time, has its place by its time.
 */
export function entryOf(item: FeedItem, entries: readonly LogEntry[], log: readonly FeedItem[]): number {
  const known = log.indexOf(item)
  const place = known >= 0 ? known : log.findLastIndex(({ atMs }) => atMs <= item.atMs)
  return Math.max(
    0,
    entries.findLastIndex(({ first }) => first <= place),
  )
}

/** An entry as one line to copy: "10:07:42 → ack #4 played 131 B". */
export function copyLine({ row }: LogEntry): string {
  return `${timeOfDay(row.atMs)} ${row.mark} ${rowText(row)}`
}

function foldedRow(atMs: number, count: number): LogRow {
  return {
    ...{ atMs, kind: 'packet', mark: '→', type: 'telemetry', n: undefined, bytes: undefined },
    ...{ outcome: `×${count}`, meaning: 'plain', isTelemetry: true },
  }
}
