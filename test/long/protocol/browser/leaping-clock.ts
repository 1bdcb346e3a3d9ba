import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, machineClock } from '../../../../protocol/conformance/wire/clock.ts'

/** The kit waits less for a device that it expects to do something, even for the start of its browser. */
const LONG_MS = 200_000
/** The end of a long wait passes in real time. */
const LAST_MS = 5_000
/** So much may the clocks of kit and page be apart for a moment. */
const LEAP_MS = 1_000
/** Real time without a packet before each leap: an answer is not overtaken. */
const QUIET_MS = 500
/** Real time between two leaps. */
const PAUSE_MS = 10

interface Wait {
  endsAtMs: number
  /** It began as a long one. */
  isLong: boolean
  wake: () => void
  cancel: () => void
}

/**
 * The machine's clock, with leaps: while the kit waits for minutes, and nothing has passed between kit and page for a
 * while, both clocks leap together, second by second. All other time is real.
 */
export class LeapingClock implements Clock {
  readonly #machine = machineClock(() => Date.now())
  readonly #waits = new Set<Wait>()
  #leaptMs = 0
  /** When somebody asked for the time last: the kit does so for each packet. */
  #askedAtMs = performance.now()

  now(): number {
    this.#askedAtMs = performance.now()
    return this.#time()
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const isLong = atMs - this.#time() > LONG_MS
    const wait: Wait = { endsAtMs: atMs, isLong, wake, cancel: () => {} }
    this.#waits.add(wait)
    this.#arm(wait)
    return () => {
      wait.cancel()
      this.#waits.delete(wait)
    }
  }

  /** Leaps with the device until `work` is done. */
  async during<T>(work: Promise<T>, leapDevice: (ms: number) => Promise<void>): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    while (!isOver) {
      await sleep(PAUSE_MS)
      if (!this.#mayLeap()) continue
      await leapDevice(LEAP_MS)
      this.#leaptMs += LEAP_MS
      for (const wait of this.#waits) this.#arm(wait)
    }
    return work
  }

  #mayLeap(): boolean {
    const waits = [...this.#waits]
    const isQuiet = performance.now() - this.#askedAtMs >= QUIET_MS
    const leftMs = Math.min(...waits.map(({ endsAtMs }) => endsAtMs - this.#time()))
    return isQuiet && waits.some(({ isLong }) => isLong) && leftMs >= LAST_MS + LEAP_MS
  }

  #time(): number {
    return Date.now() + this.#leaptMs
  }

  #arm(wait: Wait): void {
    wait.cancel()
    wait.cancel = this.#machine.wakeAt(wait.endsAtMs - this.#leaptMs, () => {
      this.#waits.delete(wait)
      wait.wake()
    })
  }
}
