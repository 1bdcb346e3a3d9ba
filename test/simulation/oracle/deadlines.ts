import type { AnnouncementRow } from './file.ts'
import { isFinal } from './stages.ts'

/** For how long an announcement is news, by the world's `elapsed`: whatever the hub's clock is set to meanwhile. */
export interface Deadline {
  from: number
  /** Spoken after it, it is late. In whole seconds of the hub's clock, as frames say it. */
  lateAfter: number
  /** The hub promises to have it spoken until then. */
  promisedUntil: number
  /** It has ended by then, even for a speaker that is away. */
  endedBy: number
}

/** What was sent may still be acked for a minute; the sweep and a restart take less than the rest. */
const ENDED_WITHIN_MS = 75_000
/** After the clock was set forward, acks are awaited for so much longer. */
const ACKS_COME_MS = 180_000

export interface Deadlines {
  /** Looks at what was committed. */
  look(rows: readonly AnnouncementRow[]): void
  of(row: AnnouncementRow): Deadline
  /**
   * The hub's clock was set. What was open may end early, because time may really have passed. When the clock is set
   * back while no hub runs, nobody knows by how much: what was open may be spoken for so much longer.
   */
  clockWasSet(byMs: number, isSeen: boolean, rows: readonly AnnouncementRow[]): void
}

export function createDeadlines({ now, elapsed }: { now: () => number; elapsed: () => number }): Deadlines {
  const deadlines = new Map<string, Deadline>()

  function deadlineOf({ id, queuedAt, expiresAt }: AnnouncementRow): Deadline {
    const known = deadlines.get(id)
    if (known) return known
    const aheadBy = now() - elapsed()
    const deadline = {
      from: queuedAt - aheadBy,
      lateAfter: Math.floor(expiresAt / 1000) * 1000 - aheadBy,
      promisedUntil: expiresAt - aheadBy,
      endedBy: expiresAt - aheadBy + ENDED_WITHIN_MS,
    }
    deadlines.set(id, deadline)
    return deadline
  }

  return {
    look(rows) {
      for (const row of rows) deadlineOf(row)
    },
    of: deadlineOf,
    clockWasSet(byMs, isSeen, rows) {
      for (const row of rows) {
        const deadline = deadlineOf(row)
        if (isFinal(row)) continue
        deadline.promisedUntil = Math.min(deadline.promisedUntil, elapsed())
        deadline.endedBy += ACKS_COME_MS + Math.max(0, -byMs)
        if (!isSeen && byMs < 0) deadline.lateAfter -= byMs
      }
    },
  }
}
