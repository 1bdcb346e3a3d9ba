import { createMiddleware } from 'hono/factory'
import type { Clock } from '../clock.ts'
import { HubError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

/** Requests that a partner may make a second, and at once after a pause. */
const PER_SECOND = 50
const BURST = 200

/**
 * A token bucket for each partner. The callback is not behind it: money news is not refused.
 * Written here because it must run on the hub's own clock; partners are few, so the map stays small.
 */
export function rateLimited(clock: Clock) {
  const buckets = new Map<string, { tokens: number; at: number }>()

  return createMiddleware<HttpEnv>(async (c, next) => {
    const now = clock.now()
    const before = buckets.get(c.var.clientId) ?? { tokens: BURST, at: now }
    const refilled = ((now - before.at) / 1000) * PER_SECOND
    const tokens = Math.min(BURST, before.tokens + Math.max(0, refilled))
    const allowed = tokens >= 1
    buckets.set(c.var.clientId, { tokens: allowed ? tokens - 1 : tokens, at: now })
    if (!allowed) throw new HubError('RATE_LIMITED', { retryAfterS: 1 })
    await next()
  })
}
