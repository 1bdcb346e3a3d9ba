import type { Clock } from '../../../simulator/platform/clock.ts'

/** A clock that moves only when the test winds it. */
export class WoundClock implements Clock {
  #nowMs: number
  #timers: { atMs: number; wake: () => void }[] = []

  constructor(startMs = 1_763_678_400_000) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Milliseconds until each pending timer, soonest first. */
  get waits(): number[] {
    return this.#timers.map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b)
  }

  wind(ms: number): void {
    const endMs = this.#nowMs + ms
    while (this.wakeNext(endMs));
    this.#nowMs = endMs
  }

  /** Moves to the soonest timer up to this time, and wakes it. False: there is none. */
  protected wakeNext(endMs = Number.POSITIVE_INFINITY): boolean {
    const next = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
    if (!next) return false
    this.#timers = this.#timers.filter((other) => other !== next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs)
    next.wake()
    return true
  }
}
