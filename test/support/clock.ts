import type { Clock } from '../../server/platform/clock.ts'

/** A clock that moves only when a test winds it. */
export interface VirtualClock extends Clock {
  /** Sets the clock forward or back, as an operator or a time server does. No time passes. */
  set(byMs: number): void
  /** Lets time pass. Timers run in order, each followed by a turn for promises. */
  wind(ms: number): Promise<void>
}

const TURNS = 20

/** Runs everything that waits for the event loop. Waits for no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** What Node.js has open although nothing is under way: the channel and the output of a worker, and real timers. */
const AT_REST = new Set(['PipeWrap', 'TTYWrap', 'Timeout'])

/** As `settle`, but ends as soon as the event loop has nothing to run and no socket, file or thread may give it more. */
async function settleWhatIsOpen(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().every((kind) => AT_REST.has(kind))) return
  }
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
        await settleWhatIsOpen()
      }
      elapsed = until
      await settle()
    },
  }
}
