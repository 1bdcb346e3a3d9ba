import { HubError } from '../../../server/platform/errors.ts'
import type { Freezer } from './freezer.ts'

/** The connection from a hub to a storage that others share: it fails, and answers get lost on it. */
export interface Cable {
  /** Before an act begins: waits while the hub stands still. Rejects when the storage can't be reached. */
  out(): Promise<void>
  /** After an act has ended: waits as well. Rejects when its answer is lost. */
  back(isWrite: boolean): Promise<void>
  /** The storage can't be reached for so long. What is under way is carried out, and its answers are lost. */
  cut(forMs: number): void
  /** The answers of so many next writes are lost: they are committed, and the hub gets an error. */
  loseAnswers(count: number): void
  heal(): void
  /** When an act has failed last, by `elapsed`. */
  failedAt(): number
}

export function createCable(elapsed: () => number, { isAlive, isFrozen, whenAwake }: Freezer): Cable {
  let cutUntil = Number.NEGATIVE_INFINITY
  let answersToLose = 0
  let failedAt = Number.NEGATIVE_INFINITY

  function awake(): Promise<void> | undefined {
    if (!isAlive()) throw new Error('the hub is dead')
    if (!isFrozen()) return undefined
    return new Promise((resolve, reject) => whenAwake(resolve, () => reject(new Error('the hub is dead'))))
  }

  function fail(): never {
    failedAt = elapsed()
    throw new HubError('UNAVAILABLE', { retryAfterS: 1 })
  }

  return {
    async out() {
      await awake()
      if (elapsed() < cutUntil) fail()
    },
    async back(isWrite) {
      await awake()
      if (elapsed() < cutUntil) fail()
      if (!isWrite || answersToLose === 0) return
      answersToLose -= 1
      fail()
    },
    cut(forMs) {
      cutUntil = elapsed() + forMs
    },
    loseAnswers(count) {
      answersToLose = count
    },
    heal() {
      cutUntil = Number.NEGATIVE_INFINITY
      answersToLose = 0
    },
    failedAt: () => failedAt,
  }
}
