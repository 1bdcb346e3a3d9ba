import type { Clock } from '../../platform/clock.ts'

/** Samples that are kept: those of the last seconds. */
const KEPT = 10
/** Clocks that run apart from each other do not differ by so much within the kept samples. */
const DRIFT_MS = 5
/** Nothing is judged by the time of an older sample: the process was stopped, or its machine slept. */
const FRESH_MS = 2_000

/** PostgreSQL's time minus `elapsed`, which is off by at most `within`. */
interface Sample {
  aheadMs: number
  within: number
}

/**
 * PostgreSQL's time in this process. Goes by the process's own monotonic clock and by the sample with the shortest round trip, so that no hub's own clock
 * matters. `sample` asks PostgreSQL and calls `add`; when the last answer is old, timers wait for it before they act.
 */
export function createDatabaseClock(own: Clock, sample: () => Promise<void>) {
  let samples: Sample[] = []
  let aheadMs = own.now() - own.elapsed()
  let sampledAt = { elapsed: Number.NEGATIVE_INFINITY, now: own.now() }
  let sampling: Promise<void> | undefined

  /** By both clocks of the machine: the monotonic one stops while the machine sleeps. */
  function isFresh(): boolean {
    const passed = own.elapsed() - sampledAt.elapsed
    return passed <= FRESH_MS && Math.abs(own.now() - sampledAt.now - passed) <= FRESH_MS
  }

  function sampled(): Promise<void> {
    sampling ??= sample()
      .catch(() => undefined)
      .finally(() => {
        sampling = undefined
      })
    return sampling
  }

  return {
    now: () => Math.floor(own.elapsed() + aheadMs),
    elapsed: own.elapsed,

    after(delayMs: number, act: () => void) {
      let isCancelled = false
      const cancel = own.after(delayMs, () => {
        if (isFresh()) return act()
        void sampled().then(() => {
          if (!isCancelled) act()
        })
      })
      return () => {
        isCancelled = true
        cancel()
      }
    },

    /** PostgreSQL has answered `databaseMs` between two instants of `elapsed`. */
    add(askedAt: number, answeredAt: number, databaseMs: number) {
      // PostgreSQL's milliseconds have no fraction.
      const newest = {
        aheadMs: databaseMs + 0.5 - (askedAt + answeredAt) / 2,
        within: (answeredAt - askedAt) / 2 + 0.5,
      }
      const contradicts = (other: Sample) =>
        Math.abs(other.aheadMs - newest.aheadMs) > other.within + newest.within + DRIFT_MS
      // PostgreSQL's clock was set, or this machine slept.
      if (samples.some(contradicts)) samples = []
      samples = [...samples, newest].slice(-KEPT)
      aheadMs = samples.reduce((best, one) => (one.within < best.within ? one : best)).aheadMs
      sampledAt = { elapsed: own.elapsed(), now: own.now() }
    },

    /**
     * PostgreSQL's time by the last sample and by whichever of the machine's clocks has gone less far since. When it shows
     * less, PostgreSQL's clock was set back: this machine did not just sleep, and its clock was not just set.
     */
    expectedAtLeast(): number {
      const passed = Math.min(own.elapsed() - sampledAt.elapsed, own.now() - sampledAt.now)
      return sampledAt.elapsed + aheadMs + passed
    },

    fresh: () => (isFresh() ? undefined : sampled()),

    /** How far PostgreSQL's clock is ahead of this machine's. */
    databaseAheadMs: () => own.elapsed() + aheadMs - own.now(),
  }
}
