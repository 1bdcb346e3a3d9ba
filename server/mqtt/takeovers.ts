import type { Clock } from '../platform/clock.ts'

/** Takeovers of one serial within the window that no roaming device makes: two devices have one identity. */
const SUSPICIOUS = 5
const WINDOW_MS = 60_000

/** Watches for serials that are taken over again and again. */
export interface Takeovers {
  /** Notes that a new connection has ended an older one; true when that is to be reported, once a window. */
  note(serial: string): boolean
}

/** Why: a cloned identity makes two speakers throw each other out, each silent half of the time. */
export function createTakeovers(clock: Clock): Takeovers {
  const counts = new Map<string, { since: number; count: number }>()

  /** Windows in the order in which they began: those that are over come first. */
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
