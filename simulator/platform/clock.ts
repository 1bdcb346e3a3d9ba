/** The simulator's source of time. Tests use a clock that they wind by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `wake` once, when the clock shows `atMs` or later. Returns a function that cancels it. */
  wakeAt(atMs: number, wake: () => void): () => void
}

/** Resolves when the clock shows `atMs` or later. */
export function waitUntil(clock: Clock, atMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.wakeAt(atMs, resolve)
  })
}

/** The longest delay of setTimeout; with a longer one the timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt: (atMs, wake) => {
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), LONGEST_TIMER_MS)
    const timer = setTimeout(wake, delayMs)
    return () => clearTimeout(timer)
  },
}
