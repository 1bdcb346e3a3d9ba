import type { Clock } from '../../platform/clock.ts'
import { createTurns, type Turns } from '../../platform/turns.ts'

/** A request that takes longer waits for a device or for its sender, and does not use the processor. */
const LONGEST_TURN_MS = 200

/** Who takes turns. It begins without one. */
export interface Worker {
  turn: 'none' | 'queued' | 'working'
  /** Since when it is `working`, on the clock's `elapsed`. */
  workingSince: number
}

/**
 * A bounded number of slots, which workers get in the turn of their owners:
 *
 *   none ──take──▶ queued ──(a slot is free: `begin`)──▶ working ──giveBack──▶ none
 */
export class Slots<W extends Worker> {
  readonly #turns: Turns
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #begin: (worker: W) => void
  /** In the order in which they got their slots. */
  readonly #working = new Set<W>()

  constructor(slots: number, clock: Pick<Clock, 'elapsed'>, begin: (worker: W) => void) {
    this.#turns = createTurns(slots)
    this.#clock = clock
    this.#begin = begin
  }

  /** Does nothing for a worker that is queued or working. */
  take(worker: W, owner: string) {
    if (worker.turn !== 'none') return
    worker.turn = 'queued'
    this.#turns.take(owner, () => {
      worker.turn = 'working'
      worker.workingSince = this.#clock.elapsed()
      this.#working.add(worker)
      this.#begin(worker)
    })
  }

  giveBack(worker: W) {
    if (worker.turn !== 'working') return
    worker.turn = 'none'
    this.#working.delete(worker)
    this.#turns.release()
  }

  /** Takes the slots back that have been held for too long. */
  takeBackLate() {
    const latest = this.#clock.elapsed() - LONGEST_TURN_MS
    for (const worker of this.#working) {
      if (worker.workingSince > latest) return
      this.giveBack(worker)
    }
  }
}
