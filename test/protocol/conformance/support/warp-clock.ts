import { WoundClock } from '../../../simulator/support/wound-clock.ts'

/** Turns of the event loop in which nobody asks for the time: all parts wait for a timer then. */
const IDLE_TURNS = 16

/**
 * A clock for parts that talk over lines in memory. It stands still while they talk, and jumps to the next timer when
 * all of them wait. So waiting costs nothing, and a machine that is slow is never late.
 */
export class WarpClock extends WoundClock {
  #stopped = false
  /** Counts calls of `now`. A part that asks for the time is active. */
  #asked = 0
  /** Work under way that no timer of this clock wakes. */
  #held = 0

  override now(): number {
    this.#asked += 1
    return super.now()
  }

  /** Stands still until `work` is done. */
  async holdDuring(work: Promise<void>): Promise<void> {
    this.#held += 1
    try {
      await work
    } finally {
      this.#held -= 1
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
      const asked = this.#asked
      for (let turn = 0; turn < IDLE_TURNS && asked === this.#asked; turn += 1) await nextTurn()
      if (this.#held === 0 && asked === this.#asked) this.wakeNext()
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
