import type { Clock } from './clock.ts'

/** Fill rate and capacity of a bucket, in tokens. */
export interface BucketSize {
  perSecond: number
  burst: number
}

export interface Taken {
  /** Whether a token was available. A refused call takes no token. */
  allowed: boolean
  /** Whole tokens left. */
  remaining: number
  /** Milliseconds until the bucket has one more whole token. */
  nextInMs: number
}

/** Tolerance for the rounding errors of adding fractions. */
const ROUNDING = 1e-9

/** A token bucket on the hub's clock, which no library accepts. */
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

/** Bounds the memory. When full, the least recently used key is removed. */
const MAX_KEYS = 10_000

/** A token bucket for each key. */
export function createTokenBuckets(clock: Clock, size: BucketSize): { take(key: string): Taken } {
  const buckets = new Map<string, TokenBucket>()
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(clock, size)
      buckets.delete(key)
      buckets.set(key, bucket)
      const oldest = buckets.size > MAX_KEYS ? buckets.keys().next().value : undefined
      if (oldest !== undefined) buckets.delete(oldest)
      return bucket.take()
    },
  }
}
