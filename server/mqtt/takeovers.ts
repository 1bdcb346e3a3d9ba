import type { Clock } from '../platform/clock.ts'

/** A roaming device does not reach this many takeovers within the window: two devices have one identity. */
const SUSPICIOUS = 5
const WINDOW_MS = 60_000

/** Counts the takeovers of each serial. */
export interface Takeovers {
  /** Counts one takeover. True when it must be reported: once a window. */
  note(serial: string): boolean
}

/** Why: two speakers with one identity disconnect each other, and each is silent half of the time. */
export function createTakeovers(clock: Clock): Takeovers {
  const counts = new Map<string, { since: number; count: number }>()

  /** Windows are in the order in which they began: those that are over come first. */
  function forgetOld(now: number) {
    for (const [serial, { since }] of counts) {
      if (now - since < WINDOW_MS) return
      counts.delete(serial)
    }
  }

  return {
    note(serial) {
      const now = clock.elapsed()
      forgetOld(now)
      const window = counts.get(serial) ?? { since: now, count: 0 }
      window.count += 1
      counts.set(serial, window)
      return window.count === SUSPICIOUS
    },
  }
}
