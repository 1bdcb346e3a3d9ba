import { performance } from 'node:perf_hooks'
import type { Clock } from '../clock.ts'

/** The shortest time over which the load is measured. */
const WINDOW_MS = 500
/** The share of the time in which the thread works and does not wait for something to do. */
const BUSY = 0.9

/**
 * The returned function tells whether this thread works almost all the time, so that whatever it does delays something
 * else. It measures between its calls.
 */
export function createBusyWatch(
  clock: Pick<Clock, 'elapsed'>,
  utilization = performance.eventLoopUtilization,
): () => boolean {
  let since = utilization()
  let sinceAt = clock.elapsed()
  let isBusy = false
  return () => {
    const elapsed = clock.elapsed()
    if (elapsed - sinceAt < WINDOW_MS) return isBusy
    const now = utilization()
    isBusy = utilization(now, since).utilization >= BUSY
    since = now
    sinceAt = elapsed
    return isBusy
  }
}
