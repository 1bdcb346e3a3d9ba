import type { Clock } from '../../server/platform/clock.ts'

/** A clock that moves only when a test winds it. */
export interface VirtualClock extends Clock {
  /** Sets the clock forward or back, as an operator or a time server does. No time passes. */
  set(byMs: number): void
  /** Lets time pass. Timers run in order, each followed by a turn for promises. */
  wind(ms: number): Promise<void>
}

/** Runs everything that waits for the event loop. Waits for no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export function createVirtualClock(start = Date.parse('2026-11-20T03:00:00.000Z')): VirtualClock {
  let elapsed = 0
  let setBy = 0
  let timers: { at: number; act: () => void }[] = []

  return {
    now: () => start + setBy + elapsed,
    elapsed: () => elapsed,
    after(delayMs, act) {
      const timer = { at: elapsed + Math.max(0, delayMs), act }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    set(byMs) {
      setBy += byMs
    },
    async wind(ms) {
      const until = elapsed + ms
      await settle()
      for (;;) {
        const [next] = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        timers = timers.filter((timer) => timer !== next)
        elapsed = next.at
        next.act()
        await settle()
      }
      elapsed = until
      await settle()
    },
  }
}
