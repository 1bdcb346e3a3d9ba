import { performance } from 'node:perf_hooks'
import type { Clock } from '../../platform/clock.ts'

interface Timer {
  atMs: number
  wake: () => void
}

/** Real milliseconds between two steps of the clock. */
const STEP_MS = 2
/** A step counts for at most this long: time in which the process did not run does not pass. */
const LONGEST_STEP_MS = 4
/** After this many steps in which nobody has asked for the time, everybody waits. */
const IDLE_STEPS = 10
/** Turns of the event loop after each timer, in which packets arrive. */
const TURNS = 4

export interface FastClockOptions {
  startMs: number
  /** How many times faster than real time it runs. */
  factor: number
  /** The same while nothing happens. */
  idleFactor: number
}

/**
 * A clock that runs faster than real time, for parts in this process. Timers wake in their order at their exact time,
 * and never while packets between the parts are on their way.
 */
export class FastClock implements Clock {
  readonly #options: FastClockOptions
  #nowMs: number
  #timers: Timer[] = []
  #running = false
  /** Counts calls of `now`. A part that asks for the time is active. */
  #asked = 0

  constructor(options: FastClockOptions) {
    this.#options = options
    this.#nowMs = options.startMs
  }

  now(): number {
    this.#asked += 1
    return Math.floor(this.#nowMs)
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    void this.#run()
  }

  stop(): void {
    this.#running = false
  }

  async #run(): Promise<void> {
    const { factor, idleFactor } = this.#options
    let idleSteps = 0
    while (this.#running) {
      const asked = this.#asked
      const startedAt = performance.now()
      await new Promise((resolve) => setTimeout(resolve, STEP_MS))
      const realMs = Math.min(performance.now() - startedAt, LONGEST_STEP_MS)
      if (!this.#running) return
      idleSteps = asked === this.#asked ? idleSteps + 1 : 0
      await this.#pass(realMs * (idleSteps > IDLE_STEPS ? idleFactor : factor))
    }
  }

  /** Lets time pass, up to the next timer if that comes first: what it causes runs at the usual pace. */
  async #pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    const next = this.#timers.reduce<Timer | undefined>(
      (soonest, timer) => (soonest && soonest.atMs <= timer.atMs ? soonest : timer),
      undefined,
    )
    if (!next || next.atMs > untilMs) {
      this.#nowMs = untilMs
      return
    }
    this.#timers = this.#timers.filter((other) => other !== next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs)
    next.wake()
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
}
