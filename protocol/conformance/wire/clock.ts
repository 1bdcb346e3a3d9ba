/** The kit's only source of time. Tests use a clock that they move themselves. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `wake` once when the clock reaches `atMs`. Returns a function that cancels the call. */
  wakeAt(atMs: number, wake: () => void): () => void
}

/** Resolves after `ms` milliseconds of the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now() + ms, resolve))
}
