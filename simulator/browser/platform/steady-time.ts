/** A smaller change between the two clocks is drift, or the rounding of their readings. */
const STEP_MS = 1_000

/** What a device's time is made of, in milliseconds. */
export interface TimeSources {
  /** The clock that people set. */
  wall(): number
  /** The timer since the start: nobody sets it, but on many devices it stands still while they sleep. */
  timer(): number
}

const SYSTEM: TimeSources = { wall: () => Date.now(), timer: () => performance.now() }

/**
 * A time that never goes back (sb/1 11.1, 11.5): it begins at the wall clock's and goes by the timer. When somebody sets
 * the wall clock back, this time goes on. When the wall clock runs ahead of the timer, the device has slept, or somebody
 * has set the clock forward. Both look alike, so this time follows: money that came before a sleep is not spoken as new.
 * `onAhead` is called then, because only a new welcome tells which of the two it was.
 */
export function steadyTime(onAhead: () => void, { wall, timer }: TimeSources = SYSTEM): () => number {
  let apart = wall() - timer()
  let ahead = apart
  return () => {
    const now = wall() - timer()
    const step = now - apart
    if (Math.abs(step) > STEP_MS) {
      apart = now
      if (step > 0) {
        ahead += step
        onAhead()
      }
    }
    return timer() + ahead
  }
}
