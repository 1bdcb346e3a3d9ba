import type Database from 'better-sqlite3'
import type { Clock } from '../../../platform/clock.ts'
import { HubError } from '../../../platform/errors.ts'
import { type StorageObserver, UNOBSERVED } from '../../ports.ts'
import { mapDriverError } from './map-driver-errors.ts'
import { type ActResult, createSharedTransaction } from './shared-transaction.ts'

/** Writes that may wait for a commit. Beyond it the hub says 503: a caller that waits for seconds is worse off. */
const QUEUE_LIMIT = 10_000
const RETRY_AFTER_S = 1
/** Turns that a commit waits at most for further writes, so that a stream of them can't hold up the first. */
export const GATHER_TURNS = 4
/** How long writes wait for another process (the command line) that is writing. */
export const BUSY_TIMEOUT_MS = 5_000
/** Between two looks whether it has ended: its commits take a few milliseconds. */
const LOOK_AGAIN_MS = 5

interface Waiting {
  act: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Group commit: writes that arrive one upon another share one durable transaction, and each is answered after it.
 * It waits for turns of the event loop in which more arrive, so a lone write waits for no time at all.
 *
 * Why: with synchronous=FULL a commit costs a flush of the disk, whatever is in it. Gathered, fifty writes
 * cost one flush and none loses its durability. While another process writes, the queue waits by timers, so that
 * reads and speakers go on. Held by test/server/storage/sqlite/engine/commit-queue.test.ts.
 */
export interface CommitQueue {
  /**
   * Runs `act` inside the next commit; resolves with its result once that is on disk. What `act` does besides
   * writing must bear repetition: when a neighbour fails, all run again.
   */
  write<T>(act: () => T): Promise<T>
  /** Writes that wait for their commit. */
  waiting(): number
  /** Counts rollbacks. Empty every cache that was filled inside a transaction when this changes. */
  rollbacks(): number
  /** Commits what waits, now; while another process writes it blocks. */
  flush(): void
}

/** Its timers keep the process alive: a command may have nothing else to wait for. */
const patientClock: Pick<Clock, 'now' | 'after'> = {
  now: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Takes over how the connection waits for locks: from here on no statement on it blocks for one. */
export function createCommitQueue(
  sqlite: Database.Database,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
  clock: Pick<Clock, 'now' | 'after'> = patientClock,
): CommitQueue {
  const transaction = createSharedTransaction(sqlite)
  let waiting: Waiting[] = []
  /** Since when another process has kept what waits from being committed. */
  let lockedOutSince: number | undefined
  let cancelLook: () => void = () => undefined

  function take(): Waiting[] {
    const batch = waiting
    waiting = []
    lockedOutSince = undefined
    return batch
  }

  function refuse(cause: unknown) {
    const unavailable = new HubError('UNAVAILABLE', { retryAfterS: RETRY_AFTER_S, cause })
    for (const entry of take()) entry.reject(unavailable)
  }

  /** Commits what waits and answers it; false when another process writes. */
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

  /** As `commit`; another process that writes is given its time, and all else goes on meanwhile. */
  function commitWhenFree() {
    if (commit()) return
    lockedOutSince ??= clock.now()
    if (clock.now() - lockedOutSince >= BUSY_TIMEOUT_MS) refuse(lockedOut())
    else cancelLook = clock.after(LOOK_AGAIN_MS, commitWhenFree)
  }

  /** Commits at the first turn that has brought nothing more. */
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
      cancelLook()
      if (waiting.length === 0) return
      sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      if (!commit()) refuse(lockedOut())
      sqlite.pragma('busy_timeout = 0')
    },
    write<T>(act: () => T): Promise<T> {
      if (waiting.length >= QUEUE_LIMIT)
        return Promise.reject(new HubError('UNAVAILABLE', { retryAfterS: RETRY_AFTER_S }))
      if (waiting.length === 0) gather(1, 1)
      return new Promise((resolve, reject) => {
        // The queue holds acts of every type; each entry's own resolve is called with its own act's value.
        waiting.push({ act, resolve: resolve as (value: unknown) => void, reject })
      })
    },
  }
}

function lockedOut(): Error {
  return new Error(`another process has kept the write lock for ${BUSY_TIMEOUT_MS} ms`)
}
