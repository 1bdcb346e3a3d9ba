import type { Context } from 'hono'
import { HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'

/** The limit of each partner's requests. */
export interface RequestLimit {
  readonly rate: { burst: number }
  /** Seconds until a used-up burst is whole again. */
  readonly windowS: number
  /** Takes one request of the quota. `nextInS`: seconds until one more request is left. */
  take(clientId: string): { allowed: boolean; remaining: number; nextInS: number }
}

/** Counts a request of an authenticated partner; throws RATE_LIMITED when its quota is used up. */
export type Admit = (c: Context<HttpEnv>, clientId: string) => void

/** The one quota's name in the headers. */
const POLICY = '"partner"'

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers-11: q requests at once, restored in w seconds; r requests are
 * left, and the next one is added in t seconds. Retry-After equals t, as section 6 requires.
 */
export function admitWithin(limit: RequestLimit): Admit {
  const policy = `${POLICY};q=${limit.rate.burst};w=${limit.windowS}`
  return function admit(c, clientId) {
    const { allowed, remaining, nextInS } = limit.take(clientId)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `${POLICY};r=${remaining};t=${nextInS}`)
    if (!allowed) throw new HubError('RATE_LIMITED', { retryAfterS: nextInS })
  }
}
