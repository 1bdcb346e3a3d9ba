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

/** A token bucket for each key. */
export interface TokenBuckets {
  take(key: string): Taken
}

export type TokenBucket = ReturnType<typeof createTokenBucket>

/** A token bucket on the hub's own clock. */
export function createTokenBucket(clock: Clock, { perSecond, burst }: BucketSize) {
  let tokens = burst
  let filledAt = clock.elapsed()
  return {
    take(): Taken {
      const now = clock.elapsed()
      tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      const allowed = tokens >= 1 - ROUNDING
      if (allowed) tokens = Math.max(0, tokens - 1)
      const remaining = Math.max(0, Math.floor(tokens + ROUNDING))
      return { allowed, remaining, nextInMs: ((remaining + 1 - tokens) / perSecond) * 1000 }
    },
    /** A bucket below zero must fill up first. */
    set(level: number) {
      tokens = level
      filledAt = clock.elapsed()
    },
  }
}

/** Buckets in memory; beyond it, the one that was idle for longest is dropped. */
const BUCKETS = 10_000

export type KeptBuckets = ReturnType<typeof createTokenBuckets>

export function createTokenBuckets(clock: Clock, size: BucketSize) {
  const buckets = createBoundedMap<TokenBucket>(BUCKETS)
  return {
    take(key: string): Taken {
      const bucket = buckets.get(key) ?? createTokenBucket(clock, size)
      buckets.set(key, bucket)
      return bucket.take()
    },
    /** Does nothing for a bucket that was dropped. */
    set: (key: string, tokens: number) => buckets.get(key)?.set(tokens),
  }
}
