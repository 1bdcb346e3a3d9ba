import { averageRate, type Load, rateAt, stageAt } from './load.ts'

/** A change of the rate by hand. */
export type Throttle = 'faster' | 'slower' | 'pause'

/** The factor of one step: three double the rate. */
const STEP = 2 ** (1 / 3)
/** So many steps in one direction. */
const MOST_STEPS = 15

/** The rate of payments: what the load asks for, changed by hand. */
export class Pace {
  readonly load: Load
  /** When the load began; undefined: the ramp lasts. */
  #fromMs: number | undefined
  #steps = 0
  #isPaused = false

  constructor(load: Load) {
    this.load = load
  }

  /** The ramp is over. */
  begin(nowMs: number): void {
    this.#fromMs ??= nowMs
  }

  change(how: Throttle): void {
    if (how === 'pause') this.#isPaused = !this.#isPaused
    else {
      const steps = this.#steps + (how === 'faster' ? 1 : -1)
      this.#steps = Math.max(-MOST_STEPS, Math.min(MOST_STEPS, steps))
    }
  }

  /** Payments per second at a time. */
  at(nowMs: number): number {
    return rateAt(this.load, this.#loadMs(nowMs)) * this.#factor()
  }

  /** Payments per second on average from one time to a later one. */
  between(fromMs: number, toMs: number): number {
    if (this.#fromMs === undefined) return this.at(toMs)
    return averageRate(this.load, this.#loadMs(fromMs), this.#loadMs(toMs)) * this.#factor()
  }

  stage(nowMs: number): ReturnType<typeof stageAt> {
    return stageAt(this.load, this.#loadMs(nowMs))
  }

  /** The time of the load; before 0 while the ramp lasts. */
  #loadMs(nowMs: number): number {
    return this.#fromMs === undefined ? -1 : nowMs - this.#fromMs
  }

  #factor(): number {
    return this.#isPaused ? 0 : STEP ** this.#steps
  }
}
