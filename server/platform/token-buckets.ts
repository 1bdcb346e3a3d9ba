import { createBoundedMap } from './bounded-map.ts'
import type { Clock } from './clock.ts'

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  perSecond: number
  burst: number
}

export interface Taken {
  /** Whether a token was taken. */
  allowed: boolean
  /** Whole tokens left. */
  remaining: number
  /** Milliseconds until one more whole token is left. */
  nextInMs: number
}

/** The largest error of a sum of fractions. */
const ROUNDING = 1e-9

/** A token bucket on the hub's own clock. */
export interface TokenBucket {
  take(): Taken
  /** Sets the level. A bucket below zero must fill up first. */
  set(tokens: number): void
}

/** A token bucket for each key. */
export interface TokenBuckets {
  take(key: string): Taken
}

export interface KeptBuckets extends TokenBuckets {
  /** Does nothing when the bucket is not kept. */
  set(key: string, tokens: number): void
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
      const remaining = Math.max(0, Math.floor(tokens + ROUNDING))
      return { allowed, remaining, nextInMs: ((remaining + 1 - tokens) / perSecond) * 1000 }
    },
    set(level) {
      tokens = level
      filledAt = clock.elapsed()
    },
  }
}

/** Buckets kept in memory; beyond it, the one that was idle for longest is dropped. */
const BUCKETS = 10_000

export function createTokenBuckets(clock: Clock, size: BucketSize): KeptBuckets {
  const buckets = createBoundedMap<TokenBucket>(BUCKETS)
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(clock, size)
      buckets.set(key, bucket)
      return bucket.take()
    },
    set: (key, tokens) => buckets.get(key)?.set(tokens),
  }
}
