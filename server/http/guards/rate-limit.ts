import type { Clock } from '../../platform/clock.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../../platform/token-buckets.ts'

/** A limit of requests for each key: `perSecond` on average, `burst` at once. */
export interface RequestLimit {
  readonly rate: BucketSize
  /** Seconds until a used-up burst is whole again, rounded up. */
  readonly windowS: number
  /** Counts a request; a refused one uses no quota. `nextInS`: seconds until one more request is left, rounded up. */
  take(key: string): { allowed: boolean; remaining: number; nextInS: number }
}

/** The largest error of a sum of fractions. */
const ROUNDING_S = 1e-9

export function createRequestLimit(
  clock: Clock,
  rate: BucketSize,
  buckets: TokenBuckets = createTokenBuckets(clock, rate),
): RequestLimit {
  return {
    rate,
    windowS: Math.ceil(rate.burst / rate.perSecond),
    take(key) {
      const { allowed, remaining, nextInMs } = buckets.take(key)
      return { allowed, remaining, nextInS: Math.ceil(nextInMs / 1000 - ROUNDING_S) }
    },
  }
}
