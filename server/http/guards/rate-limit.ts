import type { Context } from 'hono'
import type { Clock } from '../../platform/clock.ts'
import { HubError } from '../../platform/errors.ts'
import { type BucketSize, createTokenBuckets } from '../../platform/token-buckets.ts'
import type { HttpEnv } from '../response/env.ts'

/** The limit of each partner's requests: `perSecond` on average, `burst` at once. */
export interface RequestLimit {
  readonly rate: BucketSize
  /** Seconds until a used-up burst is whole again, rounded up. */
  readonly windowS: number
  /** Counts a request; a refused one uses no quota. `nextInS`: seconds until one more request is left, rounded up. */
  take(clientId: string): { allowed: boolean; remaining: number; nextInS: number }
}

/** The largest error of a sum of fractions. */
const ROUNDING_S = 1e-9

export function createRequestLimit(clock: Clock, rate: BucketSize): RequestLimit {
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

/** The one quota's name in the headers. */
const POLICY = '"partner"'

/**
 * Counts a request of an authenticated partner; throws RATE_LIMITED when its quota is used up.
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers-11: q requests at once, restored in w seconds; r requests are
 * left, and the next one is added in t seconds. Retry-After equals t, as section 6 requires.
 */
export function admitWithin(limit: RequestLimit) {
  const policy = `${POLICY};q=${limit.rate.burst};w=${limit.windowS}`
  return function admit(c: Context<HttpEnv>, clientId: string) {
    const { allowed, remaining, nextInS } = limit.take(clientId)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `${POLICY};r=${remaining};t=${nextInS}`)
    if (!allowed) throw new HubError('RATE_LIMITED', { retryAfterS: nextInS })
  }
}
