import type { Clock } from '../../platform/clock.ts'

export interface WayRules {
  /** Milliseconds for each segment. */
  delayMs: number
  /** Arrivals only at multiples of this; 0: at any time. */
  burstMs: number
  /** Whether anything passes now. */
  isOpen: boolean
}

/** One direction of a line. Nothing overtakes, and nothing is lost: what can't pass now arrives later. */
export class Way {
  readonly #clock: Clock
  readonly #rules: () => WayRules
  #queue: { dueMs: number; arrive: () => void }[] = []
  #cancelWake = () => {}

  constructor(clock: Clock, rules: () => WayRules) {
    this.#clock = clock
    this.#rules = rules
  }

  /** Calls `arrive` when the segment has come through, at once if nothing delays it. */
  send(arrive: () => void): void {
    const { delayMs, burstMs } = this.#rules()
    const plainMs = this.#clock.now() + delayMs
    const dueMs = burstMs > 0 ? Math.ceil(plainMs / burstMs) * burstMs : plainMs
    this.#queue.push({ dueMs, arrive })
    this.run()
  }

  /** Lets arrive what is due. Call it when the rules have changed. */
  run(): void {
    this.#cancelWake()
    while (this.#rules().isOpen) {
      const [first] = this.#queue
      if (!first) return
      if (first.dueMs > this.#clock.now()) {
        this.#cancelWake = this.#clock.wakeAt(first.dueMs, () => this.run())
        return
      }
      this.#queue.shift()
      first.arrive()
    }
  }

  /** Drops what is under way. */
  clear(): void {
    this.#cancelWake()
    this.#queue = []
  }
}
