/** Time, as everything in the hub sees it: real in the process, wound by hand in tests. */
export interface Clock {
  /** Milliseconds since the Unix epoch: for instants. It may be set, forward and back, at any moment. */
  now(): number
  /** Milliseconds that only run, from some beginning: for durations within this process. */
  elapsed(): number
  /** Runs `act` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, act: () => void): () => void
}

/** The machine's clock. Its timers never keep the process alive: what is durable is found again at start. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** An instant as the API writes it: ISO 8601 in UTC with milliseconds. */
export function isoInstant(ms: number): string {
  return new Date(ms).toISOString()
}
