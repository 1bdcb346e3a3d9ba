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
   * This hub has seen that its clock was set back. Carries out `act` once over all hubs, and only when the clock of the
   * storage was set, not that of this machine alone. `unsureMs`: the step may be so much earlier than this hub has seen
   * it. Resolves when all of it is stored, by whichever hub.
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
