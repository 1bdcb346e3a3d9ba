import type { Clock } from '../../../server/platform/clock.ts'

/** The moment at which every world begins. */
export const BEGINNING = Date.parse('2026-11-20T03:00:00.000Z')

/**
 * The one time of a world, which stands still while something happens. What is due runs one by one, in order. Instants
 * here are those of `elapsed`; `now` is what the hub's clock shows.
 */
export interface Timeline extends Clock {
  /** When the next thing is due; undefined when nothing is. */
  nextAt(): number | undefined
  /** Moves to the next thing that is due, and does it. */
  runNext(): void
  /** Moves on; nothing may be due before. */
  moveTo(at: number): void
  /** Sets the hub's clock forward, or back: no time passes. */
  set(byMs: number): void
}

export function createTimeline(start = BEGINNING): Timeline {
  let elapsed = 0
  let setBy = 0
  /** By time; what is due at the same time in the order in which it was planned. */
  const planned: { at: number; act: () => void }[] = []

  return {
    now: () => start + setBy + elapsed,
    elapsed: () => elapsed,
    after(delayMs, act) {
      const entry = { at: elapsed + Math.max(0, delayMs), act }
      let index = planned.length
      while (index > 0 && (planned[index - 1]?.at ?? 0) > entry.at) index -= 1
      planned.splice(index, 0, entry)
      return () => {
        const place = planned.indexOf(entry)
        if (place >= 0) planned.splice(place, 1)
      }
    },
    nextAt: () => planned[0]?.at,
    runNext() {
      const entry = planned.shift()
      if (!entry) return
      elapsed = entry.at
      entry.act()
    },
    moveTo(at) {
      const due = planned[0]?.at
      if (due !== undefined && due < at) throw new RangeError('something is due before')
      elapsed = Math.max(elapsed, at)
    },
    set(byMs) {
      setBy += byMs
    },
  }
}
