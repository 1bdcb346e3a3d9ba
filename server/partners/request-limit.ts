import type { Clock } from '../clock.ts'

/** How often a partner may ask: so many requests a second, and so many at once after a pause. */
export interface RequestRate {
  perSecond: number
  burst: number
}

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
  readonly burst: number
  /** Seconds in which a used up burst is whole again, rounded up. */
  readonly windowS: number
  /** Counts a request; a refused one takes nothing. */
  take(clientId: string): Allowance
}

/** Partners remembered, so that memory stays bounded; the one that was quiet for longest is forgotten first. */
const PARTNERS = 10_000
/** What sums of fractions may be off by. */
const ROUNDING = 1e-9

/** A token bucket for each partner. Written here because it runs on the hub's own clock. */
export function createRequestLimit(clock: Clock, { perSecond, burst }: RequestRate): RequestLimit {
  const buckets = new Map<string, { tokens: number; at: number }>()

  function refilled(clientId: string, at: number): number {
    const before = buckets.get(clientId)
    if (!before) return burst
    // A clock that was set back gives nothing, and takes nothing.
    const elapsedS = Math.max(0, at - before.at) / 1000
    return Math.min(burst, before.tokens + elapsedS * perSecond)
  }

  function remember(clientId: string, bucket: { tokens: number; at: number }) {
    buckets.delete(clientId)
    buckets.set(clientId, bucket)
    if (buckets.size <= PARTNERS) return
    const quietest = buckets.keys().next().value
    if (quietest !== undefined) buckets.delete(quietest)
  }

  return {
    burst,
    windowS: Math.ceil(burst / perSecond),
    take(clientId) {
      const at = clock.now()
      const before = refilled(clientId, at)
      const allowed = before >= 1 - ROUNDING
      const tokens = allowed ? Math.max(0, before - 1) : before
      remember(clientId, { tokens, at })
      const remaining = Math.floor(tokens + ROUNDING)
      return { allowed, remaining, nextInS: Math.ceil((remaining + 1 - tokens) / perSecond - ROUNDING) }
    },
  }
}
