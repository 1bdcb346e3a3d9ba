import type { Context } from 'hono'
import type { RequestLimit } from '../../partners/request-limit.ts'
import { HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'

/** Counts a request of a partner that has proven who it is; throws RATE_LIMITED when it may not go on. */
export type Admit = (c: Context<HttpEnv>, clientId: string) => void

/** The one quota's name in the headers. */
const POLICY = '"partner"'

/**
 * Tells with every answer how much is left, by draft-ietf-httpapi-ratelimit-headers-11: q and w are the burst and
 * the seconds in which it grows back, r is what is left and t the seconds until that is more. So Retry-After
 * never lies before the end of t (section 6).
 */
export function admitWithin(limit: RequestLimit): Admit {
  const policy = `${POLICY};q=${limit.rate.burst};w=${limit.windowS}`
  return (c, clientId) => {
    const { allowed, remaining, nextInS } = limit.take(clientId)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `${POLICY};r=${remaining};t=${nextInS}`)
    if (!allowed) throw new HubError('RATE_LIMITED', { retryAfterS: nextInS })
  }
}
