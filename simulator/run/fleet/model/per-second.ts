/** Seconds to remember; more than the screen shows. */
export const KEPT_SECONDS = 240

/** Whole seconds over which a rate is averaged: steady enough to read, quick enough to follow. */
const RATE_SECONDS = 5

/** Counts events in each of the last seconds. */
export class PerSecond {
  readonly #counts = new Uint32Array(KEPT_SECONDS)
  /** The second of each count. */
  readonly #seconds = new Float64Array(KEPT_SECONDS).fill(-1)

  add(nowMs: number): void {
    const second = Math.floor(nowMs / 1000)
    const place = second % KEPT_SECONDS
    const isSame = this.#seconds[place] === second
    this.#seconds[place] = second
    this.#counts[place] = (isSame ? (this.#counts[place] ?? 0) : 0) + 1
  }

  /** The counts of the last whole seconds, oldest first. */
  last(nowMs: number, seconds: number): number[] {
    const present = Math.floor(nowMs / 1000)
    return Array.from({ length: seconds }, (_, index) => this.#of(present - seconds + index))
  }

  /** Events per second, averaged over the last five whole seconds. */
  rate(nowMs: number): number {
    return this.last(nowMs, RATE_SECONDS).reduce((sum, count) => sum + count, 0) / RATE_SECONDS
  }

  #of(second: number): number {
    const place = second % KEPT_SECONDS
    return second >= 0 && this.#seconds[place] === second ? (this.#counts[place] ?? 0) : 0
  }
}
