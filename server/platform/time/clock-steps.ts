import type { Clock } from '../clock.ts'

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
