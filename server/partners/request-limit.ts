import type { Clock } from '../platform/clock.ts'
import { type BucketSize, createTokenBuckets } from '../platform/token-buckets.ts'

/** How often a partner may ask: so many requests a second, and so many at once after a pause. */
export type RequestRate = BucketSize

/** What a partner is told about a request that was counted. */
export interface Allowance {
  allowed: boolean
  /** Whole requests that are left. */
  remaining: number
  /** Seconds until one more is left, rounded up: after a refusal, when to come again. */
  nextInS: number
}

/** Counts the requests of each partner on its own. */
export interface RequestLimit {
  readonly rate: RequestRate
  /** Seconds in which a used up burst is whole again, rounded up. */
  readonly windowS: number
  /** Counts a request; a refused one takes nothing. */
  take(clientId: string): Allowance
}

/** What a sum of fractions may be above a whole second. */
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
