import { Violation } from '../kit/violation.ts'
import type { Deadlines } from './deadlines.ts'
import type { AnnouncementRow } from './file.ts'
import type { Speech } from './speech.ts'

/** On a line without a flaw everything that goes before an announcement is through by then. */
const SETTLED_MS = 20_000
/** The longest sentence, 27 clips, and the way of its command and its acks. */
const ONE_ANNOUNCEMENT_MS = 8_000

/** When which speaker was there: welcomed, on a line that lost nothing and delayed nothing. */
export interface Presence {
  /** To be told often. */
  note(serial: string, wellSince: number | undefined): void
  /** What was not said although its speaker was there for long enough, in time. */
  check(rows: readonly AnnouncementRow[]): void
}

export function createPresence(deps: {
  speech: Pick<Speech, 'wasSaid'>
  deadlines: Deadlines
  elapsed: () => number
  /** How long one announcement takes at most. */
  oneMs?: number
}): Presence {
  const { speech, deadlines, elapsed, oneMs = ONE_ANNOUNCEMENT_MS } = deps
  const spans = new Map<string, { from: number; until: number }[]>()

  function longest(serial: string, from: number, until: number): number {
    const within = (spans.get(serial) ?? []).map(
      (span) => Math.min(span.until, until) - Math.max(span.from, from),
    )
    return Math.max(0, ...within)
  }

  /** What a speaker has to say around the same time stands in line before it. */
  function needed(row: AnnouncementRow, rows: readonly AnnouncementRow[]): number {
    const { from } = deadlines.of(row)
    const others = rows.filter((other) => other.serial === row.serial && deadlines.of(other).lateAfter > from)
    return SETTLED_MS + others.length * oneMs
  }

  return {
    note(serial, wellSince) {
      if (wellSince === undefined) return
      const list = spans.get(serial) ?? []
      const last = list.at(-1)
      if (last?.from === wellSince) last.until = elapsed()
      else list.push({ from: wellSince, until: elapsed() })
      spans.set(serial, list)
    },

    check(rows) {
      for (const row of rows) {
        const isUnsaid = row.stage === 'expired' || row.stage === 'failed'
        if (!isUnsaid || speech.wasSaid(row)) continue
        const { from, promisedUntil } = deadlines.of(row)
        const there = longest(row.serial, from, promisedUntil)
        if (there >= needed(row, rows))
          throw new Violation(
            'at least once',
            `${row.serial} has not said ${row.amount}: it was there for ${there} ms while that was news, and it is ${row.stage}`,
          )
      }
    },
  }
}
