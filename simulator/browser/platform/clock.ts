import type { Clock } from '../../platform/clock.ts'
import { steadyTime } from './steady-time.ts'

/** With a longer delay a timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface PageClock extends Clock {
  /** Calls the listener when the device has slept, or somebody has set its clock forward. */
  onAhead(listener: () => void): void
}

/**
 * A clock that never goes back, and whose timers keep their time while nobody looks at the page: browsers let a hidden
 * page's own timers fire once a second, and later once a minute, which is too late for a keepalive. Those of a worker go
 * on.
 */
export function createClock(workerUrl: string): PageClock {
  const listeners = new Set<() => void>()
  // Whoever asks for the time is in the middle of something.
  const now = steadyTime(() =>
    queueMicrotask(() => {
      for (const listener of listeners) listener()
    }),
  )
  const waiting = new Map<number, () => void>()
  let last = 0
  const fire = (id: number) => {
    const wake = waiting.get(id)
    waiting.delete(id)
    wake?.()
  }
  const worker = new Worker(workerUrl, { type: 'module' })
  worker.addEventListener('message', ({ data }) => fire(data))
  return {
    now,
    onAhead: (listener) => void listeners.add(listener),
    wakeAt(atMs, wake) {
      last += 1
      const id = last
      waiting.set(id, wake)
      const delayMs = Math.min(Math.max(0, atMs - now()), LONGEST_TIMER_MS)
      worker.postMessage({ id, delayMs })
      // The page's own timer stands in for a worker that has not been loaded.
      const timer = setTimeout(() => fire(id), delayMs)
      return () => {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },
  }
}
