import type Database from 'better-sqlite3'
import type { Clock } from '../../../platform/clock.ts'
import { type StorageObserver, UNOBSERVED } from '../../ports.ts'
import { mapDriverError, unavailable } from './map-driver-errors.ts'
import { type ActResult, createSharedTransaction } from './shared-transaction.ts'

/** Writes that may wait for a commit. Beyond it the hub answers 503: to wait for seconds is worse for the caller. */
const QUEUE_LIMIT = 10_000
/** The most turns that a commit waits for further writes, so that a stream of them can't hold up the first. */
export const GATHER_TURNS = 4
/** How long writes wait while another process (the command line) writes. */
export const BUSY_TIMEOUT_MS = 5_000
/** Between two attempts. The commits of the other process take a few milliseconds. */
const RETRY_MS = 5

interface Waiting {
  act: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Group commit: writes that arrive together share one durable transaction, and each is answered after it.
 * The queue commits at the first turn of the event loop that brings no further write. A lone write does not wait.
 *
 * Why: with synchronous=FULL every commit flushes the disk, whatever its size. Fifty writes in one commit cost one
 * flush, and all of them are durable. While another process writes, the queue retries by a timer, and reads and
 * speakers go on. Held by test/server/storage/sqlite/engine/commit-queue.test.ts.
 */
export interface CommitQueue {
  /**
   * Runs `act` inside the next commit, and resolves with its result when the commit is on disk. `act` may run twice:
   * when another act of the commit fails, all run again. Driver errors become UNAVAILABLE.
   */
  write<T>(act: () => T): Promise<T>
  /** Writes that wait for their commit. */
  waiting(): number
  /** Counts rollbacks. Empty every cache that was filled inside a transaction when this changes. */
  rollbacks(): number
  /** Commits the waiting writes now. Blocks while another process writes. */
  flush(): void
}

/** Its timers keep the process alive: the write of a command may be the only thing that it waits for. */
const queueClock: Pick<Clock, 'now' | 'after'> = {
  now: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Sets the connection's busy timeout to 0: from here on no statement on it blocks for a lock. */
export function createCommitQueue(
  sqlite: Database.Database,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
  clock: Pick<Clock, 'now' | 'after'> = queueClock,
): CommitQueue {
  const transaction = createSharedTransaction(sqlite)
  let waiting: Waiting[] = []
  /** Since when another process has held the write lock. Undefined when it does not. */
  let lockedOutSince: number | undefined
  let cancelRetry: () => void = () => undefined

  function take(): Waiting[] {
    const batch = waiting
    waiting = []
    lockedOutSince = undefined
    return batch
  }

  function refuse(cause: unknown) {
    const error = unavailable(cause)
    for (const entry of take()) entry.reject(error)
  }

  /** Commits the waiting writes and settles them. False when another process writes. */
  function commit(): boolean {
    if (waiting.length === 0) return true
    const startedAt = performance.now()
    let results: ActResult[] | undefined
    try {
      results = transaction.run(waiting.map((entry) => entry.act))
    } catch (error) {
      refuse(error)
      return true
    }
    if (results === undefined) return false
    observe.commit(waiting.length, performance.now() - startedAt)
    for (const [index, entry] of take().entries()) {
      const result = results[index]
      if (result?.ok) entry.resolve(result.value)
      else entry.reject(mapDriverError(result?.error))
    }
    return true
  }

  /** As `commit`. Retries by a timer while another process writes. */
  function commitWhenFree() {
    if (commit()) return
    lockedOutSince ??= clock.now()
    if (clock.now() - lockedOutSince >= BUSY_TIMEOUT_MS) refuse(lockedOut())
    else cancelRetry = clock.after(RETRY_MS, commitWhenFree)
  }

  /** Commits at the first turn that has brought no further write. */
  function gather(turns: number, before: number) {
    setImmediate(() => {
      if (turns < GATHER_TURNS && waiting.length > before) gather(turns + 1, waiting.length)
      else if (lockedOutSince === undefined) commitWhenFree()
    })
  }

  sqlite.pragma('busy_timeout = 0')
  return {
    waiting: () => waiting.length,
    rollbacks: transaction.rollbacks,
    flush() {
      cancelRetry()
      if (waiting.length === 0) return
      sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      if (!commit()) refuse(lockedOut())
      sqlite.pragma('busy_timeout = 0')
    },
    write<T>(act: () => T): Promise<T> {
      if (waiting.length >= QUEUE_LIMIT) return Promise.reject(unavailable())
      if (waiting.length === 0) gather(1, 1)
      return new Promise((resolve, reject) => {
        // The queue holds acts of every type. Each `resolve` gets the value of its own act.
        waiting.push({ act, resolve: resolve as (value: unknown) => void, reject })
      })
    },
  }
}

function lockedOut(): Error {
  return new Error(`another process has kept the write lock for ${BUSY_TIMEOUT_MS} ms`)
}
