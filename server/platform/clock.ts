/** The hub's only source of time. Tests use a clock that they move by hand. */
export interface Clock {
  /**
   * Milliseconds since the Unix epoch. Use it for instants: the system clock may jump forward or back at any moment.
   */
  now(): number
  /** Milliseconds of a monotonic clock with an arbitrary start. Use it for durations within this process. */
  elapsed(): number
  /** Calls `act` once after `delayMs`. The returned function cancels the call. */
  after(delayMs: number, act: () => void): () => void
  /**
   * Undefined when `now` is reliable. Otherwise a promise that resolves when it is reliable again, or when the attempt has
   * failed. Await it before anything from outside is stored. A clock without this method is always reliable.
   */
  fresh?(): Promise<void> | undefined
}

/** The machine's clock. Its timers do not keep the process alive: the next start finds durable work in the database. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, act) {
    // Node warns of a delay below 0: the process was stopped for a while.
    const timer = setTimeout(act, Math.max(0, delayMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Formats an instant for the API: ISO 8601 in UTC with milliseconds. */
export function isoInstant(ms: number): string {
  return new Date(ms).toISOString()
}

/** Calls `act` again and again, so many milliseconds after the call before. The returned function ends it. */
export function every(clock: Pick<Clock, 'after'>, ms: number, act: () => void): () => void {
  let cancel = clock.after(ms, next)
  function next() {
    act()
    cancel = clock.after(ms, next)
  }
  return () => cancel()
}

/** Smaller steps do not matter to announcements, which stay fresh for two minutes. Time servers correct them slowly. */
const STEP_MS = 5_000

export type ClockSteps = ReturnType<typeof watchClockSteps>

/** Detects that the clock was set, by comparing wall time with elapsed time. */
export function watchClockSteps(clock: Clock) {
  const offset = () => clock.now() - clock.elapsed()
  let before = offset()
  return {
    /** By how many milliseconds the clock was set since the last look: negative when set back, 0 when not set. */
    look(): number {
      // Elapsed time has fractions of a millisecond, wall time has none.
      const steppedBy = Math.round(offset() - before)
      if (Math.abs(steppedBy) < STEP_MS) return 0
      before += steppedBy
      return steppedBy
    },
  }
}
