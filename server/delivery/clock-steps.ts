import type { Clock } from '../platform/clock.ts'

/** Smaller steps do not matter to announcements, which stay fresh for two minutes. Time servers correct them slowly. */
const STEP_MS = 5_000

/** Detects that the clock was set, by comparing wall time with elapsed time. */
export interface ClockSteps {
  /** By how many milliseconds the clock was set since the last look. Negative when it was set back, 0 when it was not set. */
  look(): number
}

export function watchClockSteps(clock: Clock): ClockSteps {
  const aheadBy = () => clock.now() - clock.elapsed()
  let before = aheadBy()
  return {
    look() {
      // Elapsed time has fractions of a millisecond, wall time has none.
      const steppedBy = Math.round(aheadBy() - before)
      if (Math.abs(steppedBy) < STEP_MS) return 0
      before += steppedBy
      return steppedBy
    },
  }
}
