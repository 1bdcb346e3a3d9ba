/** Where the kit gets its time from; its tests wind their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `wake` once, when the clock shows `atMs` or later. Returns what calls it off. */
  wakeAt(atMs: number, wake: () => void): () => void
}

/** Resolves when so many milliseconds have passed on the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now() + ms, resolve))
}
