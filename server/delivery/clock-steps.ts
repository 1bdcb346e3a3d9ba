import type { Clock } from '../platform/clock.ts'

/** A smaller step changes nothing that lasts two minutes; time servers make up for it a little at a time. */
const STEP_MS = 5_000

/** Notices when the clock was set, which is not the same as that time has passed. */
export interface ClockSteps {
  /** By how many whole milliseconds the clock was set since the last look: back below 0; 0 when it only ran. */
  look(): number
}

export function watchClockSteps(clock: Clock): ClockSteps {
  const aheadBy = () => clock.now() - clock.elapsed()
  let before = aheadBy()
  return {
    look() {
      // What only runs is finer than what is set.
      const steppedBy = Math.round(aheadBy() - before)
      if (Math.abs(steppedBy) < STEP_MS) return 0
      before += steppedBy
      return steppedBy
    },
  }
}
