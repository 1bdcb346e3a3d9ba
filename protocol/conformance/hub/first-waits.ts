import type { Clock } from '../wire/clock.ts'

/** So many waits of one second at most (13.1) are so close by chance once in eight thousand million runs. */
const COMPARED = 12
const CLOSE_MS = 100

/** How long the device waits before its first attempt, each time when the kit has cut a session. */
export class FirstWaits {
  readonly #clock: Clock
  #cutAtMs: number | undefined
  #count = 0
  #leastMs = Number.POSITIVE_INFINITY
  #mostMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    this.#cutAtMs = this.#clock.now()
  }

  /** The device comes. Later attempts of the same outage don't count. */
  end(): void {
    if (this.#cutAtMs === undefined) return
    const waitedMs = this.#clock.now() - this.#cutAtMs
    this.#cutAtMs = undefined
    this.#count += 1
    this.#leastMs = Math.min(this.#leastMs, waitedMs)
    this.#mostMs = Math.max(this.#mostMs, waitedMs)
  }

  /** Whether they show no jitter: all are about the same. */
  get areSteady(): boolean {
    return this.#count >= COMPARED && this.#mostMs - this.#leastMs < CLOSE_MS
  }
}
