import type { Clock } from '../../platform/clock.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../../platform/token-buckets.ts'

/** The largest error of a sum of fractions. */
const ROUNDING_S = 1e-9

export type RequestLimit = ReturnType<typeof createRequestLimit>

/** A limit of requests for each key: `perSecond` on average, `burst` at once. */
export function createRequestLimit(
  clock: Clock,
  rate: BucketSize,
  buckets: TokenBuckets = createTokenBuckets(clock, rate),
) {
  return {
    rate,
    /** Seconds until a used-up burst is whole again, rounded up. */
    windowS: Math.ceil(rate.burst / rate.perSecond),
    /** Counts a request; a refused one uses no quota. `nextInS`: seconds until one more request is left, rounded up. */
    take(key: string) {
      const { allowed, remaining, nextInMs } = buckets.take(key)
      return { allowed, remaining, nextInS: Math.ceil(nextInMs / 1000 - ROUNDING_S) }
    },
  }
}
