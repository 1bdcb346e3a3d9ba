import type { Presence } from '../devices/ports.ts'
import { createLoginThrottle, type LoginThrottle } from '../partners/login-throttle.ts'
import type { Clock } from '../platform/clock.ts'
import type { KeyedLock } from '../platform/keyed-lock.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../platform/token-buckets.ts'
import { NO_LOCKS } from './locks.ts'
import { type Messages, NO_MESSAGES } from './messages.ts'
import { NO_WAKEUPS, type Wakeups } from './wakeups.ts'

/**
 * What one hub does for all: deleting old rows, storing that the clock was set back, giving events their seqs and looking
 * for lost devices, or sending webhooks.
 */
export type Task = 'retention' | 'clock' | 'events' | 'webhooks'

/** The other hubs on the same storage. */
export interface Cluster {
  wakeups: Wakeups
  /** Which devices are at another hub that runs. */
  presence: Presence
  messages: Messages
  /** Locks over all hubs. A hub takes a lock of its own first: see inTurn. */
  locks: KeyedLock
  /** Limits over all hubs. */
  limits: {
    /** Of wrong secrets. */
    logins(clock: Clock): LoginThrottle
    /** Of requests, by client id. */
    requests(clock: Clock, size: BucketSize): TokenBuckets
  }
  /** Whether this hub carries out a task for all hubs. Ask before each part of it: another hub may have taken it. */
  leads(task: Task): Promise<boolean>
  /**
   * Call this when the hub's clock was set back. One of all hubs runs `act`, and only if the clock of the storage was set,
   * not that of this machine alone. `unsureMs`: the clock may have been set so long before this hub detected it. Resolves
   * when one hub has run `act`.
   */
  onceSetBack(act: (unsureMs: number) => Promise<void>): Promise<void>
  /** How far the storage's clock, which all hubs go by, is ahead of this machine's. */
  databaseAheadMs(): number
}

/** One hub by itself. */
export const ALONE: Cluster = {
  wakeups: NO_WAKEUPS,
  presence: { isConnected: async () => false },
  messages: NO_MESSAGES,
  locks: NO_LOCKS,
  limits: { logins: createLoginThrottle, requests: createTokenBuckets },
  leads: async () => true,
  onceSetBack: (act) => act(0),
  databaseAheadMs: () => 0,
}
