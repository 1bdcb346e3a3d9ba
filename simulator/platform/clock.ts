/** Where the simulator gets its time from; tests wind their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `wake` once, when the clock shows `atMs` or later. Returns what calls it off. */
  wakeAt(atMs: number, wake: () => void): () => void
}

/** The longest delay that setTimeout takes; beyond it the timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt: (atMs, wake) => {
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), LONGEST_TIMER_MS)
    const timer = setTimeout(wake, delayMs)
    return () => clearTimeout(timer)
  },
}
