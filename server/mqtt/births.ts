import { Breach } from '../delivery/dialect.ts'
import type { Clock } from '../platform/clock.ts'
import { createTokenBucket } from '../platform/token-buckets.ts'

/**
 * From the CONNACK to the birth (sb/1 4.2). A device may wait 30 s for the CONNACK and 30 s for the SUBACK (sb/1 1.8); it
 * sends its birth at once after it.
 */
export const BIRTH_TIMEOUT_MS = 60_000

const NOTHING = () => undefined

/** Births of one session: each has the hub send its whole state again. A device needs one. */
const BIRTHS = { perSecond: 1, burst: 10 } as const

/** The births of one connection. */
export interface Births {
  /** The device has subscribed to its commands. */
  subscribed(): void
  /** Records a birth behind those before it. Throws a Breach when it may not come now. */
  record(act: () => Promise<unknown>): Promise<void>
  /** Resolves when the births that have come are recorded, or have failed. */
  settled(): Promise<unknown>
  /** The connection has ended. */
  stop(): void
}

/** A birth comes behind the subscription and in time, and not too often. `onLate` is called when none came in time. */
export function createBirths(clock: Clock, onLate: () => void): Births {
  const bucket = createTokenBucket(clock, BIRTHS)
  let stop = clock.after(BIRTH_TIMEOUT_MS, onLate)
  let isSubscribed = false
  /** The birth while it is being recorded. Packets behind it wait for it. */
  let last: Promise<unknown> = Promise.resolve()

  return {
    subscribed() {
      isSubscribed = true
    },
    async record(act) {
      if (!isSubscribed) throw new Breach('birth: before the subscription')
      if (!bucket.take().allowed) throw new Breach('birth: too many')
      stop()
      // The timer's memory is needed no longer: the connection may stay for months.
      stop = NOTHING
      // One after another: the PUBACK to a birth means that the session has begun.
      const recorded = last.then(act)
      last = recorded.catch(() => undefined)
      await recorded
    },
    settled: () => last,
    stop: () => stop(),
  }
}
