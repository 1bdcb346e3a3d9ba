import type { Clock } from '../../../../protocol/conformance/wire/clock.ts'

interface Timer {
  atMs: number
  wake: () => void
}

/** Turns of the event loop without anything due before time jumps: packets of this machine are there by then. */
const IDLE_TURNS = 24
/** And so long in real time, for what the system delivers a moment later. A far jump waits for longer. */
const IDLE_MS = 2
const MOST_IDLE_MS = 25
/** A jump over so many milliseconds is worth one more millisecond of patience. */
const JUMP_MS_PER_IDLE_MS = 200

/**
 * A clock for parts that talk over real sockets: it stands still while they do, and jumps to the next timer when
 * nobody has anything to say. So waiting costs nothing, and a machine that stutters is never late.
 */
export class WarpClock implements Clock {
  #nowMs: number
  #timers: Timer[] = []
  #stopped = false
  /** Who asks for the time is up to something. */
  #asked = 0

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  now(): number {
    this.#asked += 1
    return this.#nowMs
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Lets time pass until `work` is done. */
  async passDuring<T>(work: Promise<T>): Promise<T> {
    const passing = this.#pass()
    try {
      return await work
    } finally {
      this.#stopped = true
      await passing
    }
  }

  async #pass(): Promise<void> {
    while (!this.#stopped) {
      const next = this.#next()
      const asked = this.#asked
      const jumpMs = next ? next.atMs - this.#nowMs : 0
      await idle(Math.min(MOST_IDLE_MS, IDLE_MS + jumpMs / JUMP_MS_PER_IDLE_MS))
      if (!next || asked !== this.#asked) continue
      this.#timers = this.#timers.filter((other) => other !== next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.wake()
    }
  }

  #next(): Timer | undefined {
    return this.#timers.reduce<Timer | undefined>(
      (soonest, timer) => (soonest && soonest.atMs <= timer.atMs ? soonest : timer),
      undefined,
    )
  }
}

/** Not busy while it waits: other runs go on meanwhile. */
async function idle(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
