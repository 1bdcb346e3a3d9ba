import type { FeedItem } from '../../speaker/feed.ts'
import type { Area } from '../drawing/area.ts'
import { entriesOf, entryOf, type LogChoice, type LogEntry } from './entries.ts'
import { FILTERS, rowText } from './rows.ts'
import { holds } from './search.ts'
import { type LogPlace, windowOf } from './window.ts'

/** How somebody reads the log. */
export interface LogReading extends LogChoice, LogPlace {
  /** The searched text; empty: none. */
  search: string
  /** The text that is being typed, and the text that Esc brings back. */
  typing: { what: 'search' | 'only'; before: string } | undefined
}

export const FIRST_READING: LogReading = {
  ...{ kinds: 'all', only: '', unfolded: false, search: '', typing: undefined },
  ...{ at: undefined, bottom: undefined },
}

/** The log and its place on the screen; the area is the inside, without frame and titles. */
export interface LogContext {
  log: readonly FeedItem[]
  area: Area
}

/** Presses that move through the log, also while it is not yet open. */
export const LOG_MOVES: ReadonlySet<string> = new Set(['up', 'down', 'page up', 'page down', 'home', 'end'])
/** More than anybody types; a paste may be any length. */
const LONGEST_TEXT = 64

/** Begins to read: the newest line is marked, and what is in sight stays. */
export function openReading(reading: LogReading, context: LogContext): LogReading {
  const entries = entriesOf(context.log, reading)
  return entries.length === 0 ? reading : marked(reading, entries.length - 1, entries, context)
}

/** Stops reading: the log follows the newest line again. Kinds, text and search stay. */
export function closeReading(reading: LogReading): LogReading {
  return { ...reading, typing: undefined, at: undefined, bottom: undefined }
}

/** The reading after a press; undefined when the press does not concern it. */
export function readPress(reading: LogReading, press: string, context: LogContext): LogReading | undefined {
  if (reading.typing) return typePress(reading, reading.typing, press, context)
  switch (press) {
    case 'v':
      return { ...reading, kinds: FILTERS[(FILTERS.indexOf(reading.kinds) + 1) % FILTERS.length] ?? 'all' }
    case 't':
      return { ...reading, unfolded: !reading.unfolded }
    case '/':
      return { ...reading, typing: { what: 'search', before: reading.search }, search: '' }
    case '&':
      return { ...reading, typing: { what: 'only', before: reading.only }, only: '' }
    case 'n':
      return found(reading, -1, context)
    case 'N':
      return found(reading, 1, context)
    default:
      return LOG_MOVES.has(press) ? moved(reading, press, context) : undefined
  }
}

/** Undoes one thing: the search, then the text; undefined when there is nothing to undo. */
export function stepBack(reading: LogReading): LogReading | undefined {
  if (reading.search !== '') return { ...reading, search: '' }
  return reading.only === '' ? undefined : { ...reading, only: '' }
}

/** The entry that is marked while somebody reads; undefined in an empty log. */
export function markedEntry(reading: LogReading, log: readonly FeedItem[]): LogEntry | undefined {
  const entries = entriesOf(log, reading)
  return reading.at ? entries[entryOf(reading.at, entries, log)] : entries.at(-1)
}

function typePress(
  reading: LogReading,
  { what, before }: NonNullable<LogReading['typing']>,
  press: string,
  context: LogContext,
): LogReading {
  const typed = reading[what]
  switch (press) {
    case 'return':
      return { ...reading, typing: undefined }
    case 'escape':
      return { ...reading, typing: undefined, [what]: before }
    case 'backspace':
      return { ...reading, [what]: [...typed].slice(0, -1).join('') }
    default: {
      // The names of other keys have several characters.
      if ([...press].length !== 1 || typed.length >= LONGEST_TEXT) return reading
      const next = { ...reading, [what]: (typed + press).normalize('NFC') }
      return what === 'search' ? found(next, 0, context) : next
    }
  }
}

function moved(reading: LogReading, press: string, context: LogContext): LogReading {
  const { log, area } = context
  const entries = entriesOf(log, reading)
  const { marked: from } = windowOf(entries, log, reading, area)
  const last = entries.length - 1
  const page = Math.max(1, area.rows - 1)
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, down: 1, 'page up': -page, 'page down': page, home: -entries.length, end: entries.length },
  }
  const to = from + (steps[press] ?? 0)
  // Past the newest line, the log follows again.
  if (to > last) return { ...reading, at: undefined, bottom: undefined }
  return marked(reading, Math.max(0, to), entries, context)
}

/**
 * Marks the next line with the searched text: the older one for -1, the newer one for 1; for 0 the marked line itself or
 * an older one. Past the end it goes on at the other end.
 */
function found(reading: LogReading, direction: -1 | 0 | 1, context: LogContext): LogReading {
  const { log, area } = context
  const entries = entriesOf(log, reading)
  const matches = entries.flatMap(({ row }, index) => (holds(rowText(row), reading.search) ? [index] : []))
  if (matches.length === 0) return reading
  const from = windowOf(entries, log, reading, area).marked
  const next =
    direction === 1
      ? (matches.find((index) => index > from) ?? matches[0])
      : (matches.findLast((index) => index < from + (direction === 0 ? 1 : 0)) ?? matches.at(-1))
  return marked(reading, next ?? from, entries, context)
}

/** Marks an entry, and moves the window as far as that needs. */
function marked(
  reading: LogReading,
  index: number,
  entries: readonly LogEntry[],
  { log, area }: LogContext,
): LogReading {
  const itemOf = (entry: LogEntry | undefined) => entry && log[entry.first]
  const at = itemOf(entries[index])
  const bottom = reading.bottom ?? itemOf(entries.at(-1))
  const { to } = windowOf(entries, log, { at, bottom }, area)
  return { ...reading, at, bottom: itemOf(entries[to - 1]) }
}
