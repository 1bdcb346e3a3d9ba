import type { Clock } from './clock.ts'

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  perSecond: number
  burst: number
}

export interface Taken {
  /** Whether a token was there; a refusal takes nothing. */
  allowed: boolean
  /** Whole tokens left. */
  remaining: number
  /** Until one more whole token is there, milliseconds. */
  nextInMs: number
}

/** What sums of fractions may be off by. */
const ROUNDING = 1e-9

/** A token bucket. Written here because it runs on the hub's own clock. */
export interface TokenBucket {
  take(): Taken
}

export function createTokenBucket(clock: Clock, { perSecond, burst }: BucketSize): TokenBucket {
  let tokens = burst
  let filledAt = clock.elapsed()
  return {
    take() {
      const now = clock.elapsed()
      tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      const allowed = tokens >= 1 - ROUNDING
      if (allowed) tokens = Math.max(0, tokens - 1)
      const remaining = Math.floor(tokens + ROUNDING)
      return { allowed, remaining, nextInMs: ((remaining + 1 - tokens) / perSecond) * 1000 }
    },
  }
}

/** Keys remembered, so that memory stays bounded; the one that was quiet for longest is forgotten first. */
const KEYS = 10_000

/** A token bucket for each key. */
export function createTokenBuckets(clock: Clock, size: BucketSize): { take(key: string): Taken } {
  const buckets = new Map<string, TokenBucket>()
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(clock, size)
      buckets.delete(key)
      buckets.set(key, bucket)
      const quietest = buckets.size > KEYS ? buckets.keys().next().value : undefined
      if (quietest !== undefined) buckets.delete(quietest)
      return bucket.take()
    },
  }
}
