import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'

/** A roaming device does not reach this many takeovers within the window: two devices have one identity. */
const SUSPICIOUS = 5
const WINDOW_MS = 60_000
/** Serials kept in memory. Only a device that has logged in gets here. */
const SERIALS = 10_000

/**
 * Counts the takeovers of each serial. `note` counts one, and is true when it must be reported: once a window.
 * Why: two speakers with one identity disconnect each other, and each is silent half of the time.
 */
export function createTakeovers(clock: Clock): { note(serial: string): boolean } {
  const windows = createBoundedMap<{ since: number; count: number }>(SERIALS)
  return {
    note(serial) {
      const now = clock.elapsed()
      const known = windows.get(serial)
      const isNew = !known || now - known.since >= WINDOW_MS
      const window = isNew ? { since: now, count: 1 } : { since: known.since, count: known.count + 1 }
      windows.set(serial, window)
      return window.count === SUSPICIOUS
    },
  }
}
