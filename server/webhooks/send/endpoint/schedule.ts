import type { Attempt, Delivery } from '../../webhook.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** Before each attempt, from the end of the one before it. The first is made at once. */
export const DELAYS_MS = [
  ...[0, 5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
] as const
/** A delay is longer or shorter by up to this part of it, so that what failed together is not tried again together. */
const JITTER = 0.1
/** Attempts that a delivery keeps. */
const KEPT_ATTEMPTS = 20

/** The delay after the attempt `step`, of which the first is 1. After the last one it stays the same. */
export function delayMs(step: number, random: () => number): number {
  const delay = DELAYS_MS[Math.min(step, DELAYS_MS.length - 1)] ?? 0
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()))
}

/** A reply with a status from 200 to 299 says that the endpoint has the event. */
export function isDelivered({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * A delivery after an attempt. `askedMs` is the Retry-After of the reply, which decides when the next attempt is. One that
 * comes before its time by the schedule uses up no step of it: an endpoint that always says "in a second" would use up all
 * within a few seconds.
 */
export function afterAttempt(
  delivery: Delivery,
  attempt: Attempt,
  askedMs: number | undefined,
  random: () => number,
): Delivery {
  const delay = delayMs(delivery.step + 1, random)
  const step = delivery.step + (askedMs !== undefined && askedMs < delay ? 0 : 1)
  const attempts = [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS)
  const state = isDelivered(attempt) ? 'delivered' : step < DELAYS_MS.length ? 'pending' : 'failed'
  const waitMs = askedMs ?? delay
  const nextAt = state === 'pending' ? attempt.at + attempt.ms + waitMs : undefined
  return { ...delivery, state, step, nextAt, attempts }
}
