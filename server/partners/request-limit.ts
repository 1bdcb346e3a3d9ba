import type { Clock } from '../platform/clock.ts'
import { type BucketSize, createTokenBuckets } from '../platform/token-buckets.ts'

/** A partner's limit: requests a second on average, and at once after a pause. */
export type RequestRate = BucketSize

/** The result of counting one request. */
export interface Allowance {
  allowed: boolean
  /** Whole requests left. */
  remaining: number
  /** Seconds until one more request is left, rounded up. */
  nextInS: number
}

/** Counts the requests of each partner separately. */
export interface RequestLimit {
  readonly rate: RequestRate
  /** Seconds until a used-up burst is whole again, rounded up. */
  readonly windowS: number
  /** Counts a request; a refused one uses no quota. */
  take(clientId: string): Allowance
}

/** The largest error of a sum of fractions. */
const ROUNDING_S = 1e-9

export function createRequestLimit(clock: Clock, rate: RequestRate): RequestLimit {
  const buckets = createTokenBuckets(clock, rate)
  return {
    rate,
    windowS: Math.ceil(rate.burst / rate.perSecond),
    take(clientId) {
      const { allowed, remaining, nextInMs } = buckets.take(clientId)
      return { allowed, remaining, nextInS: Math.ceil(nextInMs / 1000 - ROUNDING_S) }
    },
  }
}
