import { Breach } from '../delivery/dialect.ts'
import type { Clock } from '../platform/clock.ts'
import { createTokenBucket, type TokenBucket } from '../platform/token-buckets.ts'

/**
 * From the CONNACK to the birth (sb/1 4.2). A device may wait 30 s for the CONNACK and 30 s for the SUBACK (sb/1 1.8); it
 * sends its birth at once after it.
 */
export const BIRTH_TIMEOUT_MS = 60_000

const NOTHING = () => undefined

/** Births of one session: each has the hub send its whole state again. A device needs one. */
const BIRTHS = { perSecond: 1, burst: 10 } as const

/** The births of one connection. Plain state, without closures: a hub holds one for each connected device. */
export interface Births {
  /** The device has subscribed to its commands. */
  isSubscribed: boolean
  /** The birth while it is being recorded, or the one before. Never rejects. Packets behind it wait for it. */
  last: Promise<unknown>
  /** Stops the timer of the first birth. To be called when the connection has ended. */
  stop(): void
  readonly bucket: TokenBucket
}

/** Waits for the first birth of a connection. `onLate` is called when none came in time. */
export function awaitBirth(clock: Clock, onLate: () => void): Births {
  return {
    isSubscribed: false,
    last: Promise.resolve(),
    stop: clock.after(BIRTH_TIMEOUT_MS, onLate),
    bucket: createTokenBucket(clock, BIRTHS),
  }
}

/** Records a birth behind those before it. Throws a Breach when it comes before the subscription, or too often. */
export async function recordBirth(births: Births, act: () => Promise<unknown>): Promise<void> {
  if (!births.isSubscribed) throw new Breach('birth: before the subscription')
  if (!births.bucket.take().allowed) throw new Breach('birth: too many')
  births.stop()
  // The timer's memory is needed no longer: the connection may stay for months.
  births.stop = NOTHING
  // One after another: the PUBACK to a birth means that the session has begun.
  const recorded = births.last.then(act)
  births.last = recorded.catch(NOTHING)
  await recorded
}
