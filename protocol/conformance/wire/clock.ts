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

/** A wait is divided into parts of this length, to notice that the machine has stopped this process. */
const PART_MS = 50
/** Timers fire so late on a machine that is not loaded. */
const LATENESS_MS = 20

/**
 * The machine's clock. A wait counts only the time in which this process could run: on a loaded machine, where the
 * device's packets wait as well, every deadline moves. At its end, packets that have arrived are read before `wake`.
 */
export function machineClock(now: () => number): Clock {
  function wakeAt(atMs: number, wake: () => void) {
    let leftMs = atMs - now()
    let isOff = false
    let timer: NodeJS.Timeout
    const waitPart = () => {
      const partMs = Math.min(Math.max(leftMs, 0), PART_MS)
      const startedAt = now()
      timer = setTimeout(() => {
        leftMs -= Math.min(Math.max(now() - startedAt, partMs), partMs + LATENESS_MS)
        if (leftMs > 0) waitPart()
        else setImmediate(() => !isOff && wake())
      }, partMs)
    }
    waitPart()
    return () => {
      isOff = true
      clearTimeout(timer)
    }
  }
  return { now, wakeAt }
}
