import { createLoginThrottle, type LoginThrottle } from '../partners/login-throttle.ts'
import type { Clock } from '../platform/clock.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../platform/token-buckets.ts'

/** Limits over all hubs. */
export interface Limits {
  /** Of wrong secrets. */
  logins(clock: Clock): LoginThrottle
  /** Of requests, by client id. */
  requests(clock: Clock, size: BucketSize): TokenBuckets
}

/** One hub by itself counts in memory. */
export const OWN_LIMITS: Limits = { logins: createLoginThrottle, requests: createTokenBuckets }
