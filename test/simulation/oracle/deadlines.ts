import type { AnnouncementRow } from './file.ts'
import { isFinal } from './stages.ts'

/** For how long an announcement is news, by the world's `elapsed`: whatever the hub's clock is set to meanwhile. */
export interface Deadline {
  /** The first look at it after its commit. */
  from: number
  /** Spoken after it, it is late. */
  lateAfter: number
  /** The hub promises to have it spoken until then. */
  promisedUntil: number
  /** It has ended by then, even for a speaker that is away. */
  endedBy: number
}

/** For how long a payment may be spoken, on the hub's clock. */
const FRESH_MS = 120_000
/** What was sent may still be acked for a minute; the sweep and a restart take less than the rest. */
const ENDED_WITHIN_MS = 75_000
/** After the clock was set forward, acks are awaited for so much longer. */
const ACKS_COME_MS = 180_000

export interface Deadlines {
  /** Looks at what was committed. */
  look(rows: readonly AnnouncementRow[]): void
  of(row: AnnouncementRow): Deadline
  /**
   * The hub's clock was set. What was open may end early, because time may really have passed.
   */
  clockWasSet(byMs: number, rows: readonly AnnouncementRow[]): void
  /**
   * A hub starts. If a stored time is in the future, the clock was set back: what is open may end now. If none is, the
   * hub cannot know: what is open may be spoken until the end that is stored.
   */
  started(rows: readonly AnnouncementRow[]): void
}

export function createDeadlines({ now, elapsed }: { now: () => number; elapsed: () => number }): Deadlines {
  const deadlines = new Map<string, Deadline>()

  function deadlineOf({ id, expiresAt }: AnnouncementRow): Deadline {
    const known = deadlines.get(id)
    if (known) return known
    const aheadBy = now() - elapsed()
    const deadline = {
      // Not by `queuedAt`: that may be from before a step of the clock which the commit came after.
      from: elapsed(),
      lateAfter: storedEnd({ expiresAt }),
      promisedUntil: expiresAt - aheadBy,
      endedBy: expiresAt - aheadBy + ENDED_WITHIN_MS,
    }
    deadlines.set(id, deadline)
    return deadline
  }

  /** Frames say it in whole seconds of the hub's clock, and its second itself is still valid (sb/1 11.3). */
  function storedEnd({ expiresAt }: Pick<AnnouncementRow, 'expiresAt'>): number {
    return Math.floor(expiresAt / 1000) * 1000 + 999 - (now() - elapsed())
  }

  return {
    look(rows) {
      for (const row of rows) deadlineOf(row)
    },
    of: deadlineOf,
    clockWasSet(byMs, rows) {
      for (const row of rows) {
        const deadline = deadlineOf(row)
        if (isFinal(row)) continue
        deadline.promisedUntil = Math.min(deadline.promisedUntil, elapsed())
        deadline.endedBy += ACKS_COME_MS + Math.max(0, -byMs)
      }
    },
    started(rows) {
      const wasSetBack = isAnyAhead(rows, now())
      for (const row of rows) {
        const deadline = deadlineOf(row)
        if (isFinal(row)) continue
        if (wasSetBack) deadline.promisedUntil = Math.min(deadline.promisedUntil, elapsed())
        else deadline.lateAfter = Math.max(deadline.lateAfter, storedEnd(row))
      }
    },
  }
}

/** Whether an open announcement or the newest one was queued or sent after `at`, less the steps that the hub handled. */
function isAnyAhead(rows: readonly AnnouncementRow[], at: number): boolean {
  return rows.some(
    (row, index) =>
      (!isFinal(row) || index === rows.length - 1) &&
      (row.sentAt ?? row.queuedAt) - (row.queuedAt + FRESH_MS - row.expiresAt) > at,
  )
}
