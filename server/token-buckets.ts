import type { Clock } from './clock.ts'

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  perSecond: number
  burst: number
}

export interface Taken {
  allowed: boolean
  /** Whole tokens left. */
  remaining: number
  /** Until the next token is there; 0 when one is. */
  waitMs: number
}

/** A token bucket. Written here because it must run on the hub's own clock. */
export interface TokenBucket {
  /** Takes a token, if there is one. */
  take(): Taken
  isFull(): boolean
}

export function createTokenBucket(clock: Clock, { perSecond, burst }: BucketSize): TokenBucket {
  let tokens = burst
  let filledAt = clock.now()

  function fill() {
    const now = clock.now()
    tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) / 1000) * perSecond)
    filledAt = now
  }

  return {
    take() {
      fill()
      const allowed = tokens >= 1
      if (allowed) tokens -= 1
      const waitMs = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000)
      return { allowed, remaining: Math.floor(tokens), waitMs }
    },
    isFull() {
      fill()
      return tokens >= burst
    },
  }
}

/** Full buckets that a new key may push out, so that the map shrinks faster than it grows. */
const FORGET_AT_ONCE = 2

/**
 * A token bucket for each key. A bucket is kept only until it is full again, so that memory is bounded by the
 * keys that were used lately.
 */
export function createTokenBuckets(
  clock: Clock,
  size: BucketSize,
): { take(key: string): Taken; size(): number } {
  const buckets = new Map<string, TokenBucket>()

  /** The keys used longest ago come first in the map. */
  function forgetFull() {
    let looked = 0
    for (const [key, bucket] of buckets) {
      if (looked === FORGET_AT_ONCE || !bucket.isFull()) return
      buckets.delete(key)
      looked += 1
    }
  }

  return {
    size: () => buckets.size,
    take(key) {
      const known = buckets.get(key)
      if (known) buckets.delete(key)
      else forgetFull()
      const bucket = known ?? createTokenBucket(clock, size)
      buckets.set(key, bucket)
      return bucket.take()
    },
  }
}
