import type { Clock as HubClock } from '../../../server/platform/clock.ts'
import type { Clock } from '../../../simulator/platform/clock.ts'

const TICK_MS = 5

/**
 * A clock that runs with the machine's, but counts at most two ticks for each tick: while the machine is too busy to run
 * this process, time stands still, and no deadline passes. `stop` ends it.
 */
export function startLaggingClock(): Clock & { stop(): void } {
  let nowMs = Date.now()
  let lastTick = performance.now()
  const timers = new Set<{ atMs: number; wake: () => void }>()
  const ticking = setInterval(() => {
    const tick = performance.now()
    nowMs += Math.min(tick - lastTick, 2 * TICK_MS)
    lastTick = tick
    const due = [...timers].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs)
    for (const timer of due) if (timers.delete(timer)) timer.wake()
  }, TICK_MS)
  return {
    now: () => Math.floor(nowMs),
    wakeAt(atMs, wake) {
      const timer = { atMs, wake }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    stop: () => clearInterval(ticking),
  }
}

/** The same clock for a hub in this process: no deadline of it passes either. */
export function asHubClock(clock: Clock): HubClock {
  return {
    now: () => clock.now(),
    elapsed: () => clock.now(),
    after: (delayMs, act) => clock.wakeAt(clock.now() + delayMs, act),
  }
}
