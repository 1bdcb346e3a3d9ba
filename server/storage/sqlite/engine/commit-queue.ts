import type Database from 'better-sqlite3'
import type { Clock } from '../../../platform/clock.ts'
import { type StorageObserver, UNOBSERVED } from '../../ports.ts'
import type { Page } from '../../shared/pages.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { mapDriverError } from './map-driver-errors.ts'
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

export type CommitQueue = ReturnType<typeof createCommitQueue>

/** Its timers keep the process alive: the write of a command may be the only thing that it waits for. */
const queueClock: Pick<Clock, 'now' | 'after'> = {
  now: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * Group commit: writes that arrive together share one durable transaction, and each is answered after it.
 * The queue commits at the first turn of the event loop that brings no further write. A lone write does not wait.
 *
 * Why: with synchronous=FULL every commit flushes the disk, whatever its size. Fifty writes in one commit cost one
 * flush, and all of them are durable. While another process writes, the queue retries by a timer, and reads and
 * speakers go on. Held by test/server/storage/sqlite/engine/commit-queue.test.ts.
 *
 * Sets the connection's busy timeout to 0: from here on no statement on it blocks for a lock.
 */
export function createCommitQueue(
  sqlite: Database.Database,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
  clock: Pick<Clock, 'now' | 'after'> = queueClock,
) {
  const transaction = createSharedTransaction(sqlite)
  let waiting: Waiting[] = []
  /** Later pages of long acts. */
  let pages: Waiting[] = []
  /** Since when another process has held the write lock. Undefined when it does not. */
  let lockedOutSince: number | undefined
  let cancelRetry: () => void = () => undefined
  const gatherSoon = createGathering(
    () => waiting.length,
    () => {
      if (lockedOutSince === undefined) commitWhenFree()
    },
  )

  function refuse(cause: unknown) {
    const error = unavailable(cause)
    const refused = [...waiting, ...pages]
    waiting = []
    pages = []
    lockedOutSince = undefined
    for (const entry of refused) entry.reject(error)
  }

  /** Commits the waiting writes and one page, and settles them. False when another process writes. */
  function commit(): boolean {
    const batch = [...waiting, ...pages.slice(0, 1)]
    if (batch.length === 0) return true
    const startedAt = performance.now()
    let results: ActResult[] | undefined
    try {
      results = transaction.run(batch.map((entry) => entry.act))
    } catch (error) {
      refuse(error)
      return true
    }
    if (results === undefined) return false
    observe.commit(batch.length, performance.now() - startedAt)
    waiting = []
    pages = pages.slice(1)
    lockedOutSince = undefined
    for (const [index, entry] of batch.entries()) {
      const result = results[index]
      if (result?.ok) entry.resolve(result.value)
      else entry.reject(mapDriverError(result?.error))
    }
    if (pages.length > 0) gatherSoon()
    return true
  }

  /** As `commit`. Retries by a timer while another process writes. */
  function commitWhenFree() {
    if (commit()) return
    lockedOutSince ??= clock.now()
    if (clock.now() - lockedOutSince >= BUSY_TIMEOUT_MS) refuse(lockedOut())
    else cancelRetry = clock.after(RETRY_MS, commitWhenFree)
  }

  function add(entry: Waiting) {
    waiting.push(entry)
    gatherSoon()
  }

  sqlite.pragma('busy_timeout = 0')
  return {
    /** Writes that wait for their commit. */
    waiting: () => waiting.length + pages.length,

    /** Counts rollbacks. Empty every cache that was filled inside a transaction when this changes. */
    rollbacks: transaction.rollbacks,

    /** Commits the waiting writes now. Blocks while another process writes. */
    flush() {
      cancelRetry()
      if (waiting.length + pages.length === 0) return
      sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      while (waiting.length + pages.length > 0) if (!commit()) refuse(lockedOut())
      sqlite.pragma('busy_timeout = 0')
    },

    /**
     * Runs `act` inside the next commit, and resolves with its result when the commit is on disk. `act` may run twice:
     * when another act of the commit fails, all run again. Driver errors become UNAVAILABLE.
     */
    write<T>(act: () => T): Promise<T> {
      if (waiting.length >= QUEUE_LIMIT) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        // The queue holds acts of every type. Each `resolve` gets the value of its own act.
        add({ act, resolve: resolve as (value: unknown) => void, reject })
      })
    },

    /**
     * Carries out a long act page by page, each in a commit with other writes. `page` gets `first`, then the `next` of the
     * page before, until it returns none. It may run twice, as `act` may: `committed` gets its value once, after its
     * commit. Resolves after the last commit. When a page fails, the earlier ones stay.
     *
     * The first page should be small: it is an ordinary write, for almost always it is the only one. Of all later pages
     * that wait, one goes with each commit, in turn, so that no number of long acts holds up the other writes.
     */
    writePages<C, V>(
      first: C,
      page: (cursor: C) => Page<C, V>,
      committed?: (value: V) => void,
    ): Promise<void> {
      if (waiting.length >= QUEUE_LIMIT) return Promise.reject(unavailable())
      const later = (entry: Waiting) => pages.push(entry)
      return new Promise<void>((resolve, reject) => {
        add(pageAt(first, { page, committed, later, resolve, reject }))
      })
    },
  }
}

interface LongAct<C, V> {
  page: (cursor: C) => Page<C, V>
  committed: ((value: V) => void) | undefined
  /** Takes the next page. */
  later: (entry: Waiting) => void
  resolve: () => void
  reject: (error: unknown) => void
}

/** One page of a long act. Once it is committed, the next one waits. */
function pageAt<C, V>(cursor: C, act: LongAct<C, V>): Waiting {
  return {
    act: () => act.page(cursor),
    resolve(done) {
      // Of the act above.
      const { value, next } = done as Page<C, V>
      act.committed?.(value)
      if (next === undefined) act.resolve()
      else act.later(pageAt(next, act))
    },
    reject: act.reject,
  }
}

/** The returned function lets `end` be called at the first turn of the event loop that has brought no further write. */
function createGathering(writes: () => number, end: () => void): () => void {
  let isGathering = false

  function gather(turns: number, before: number) {
    setImmediate(() => {
      if (turns < GATHER_TURNS && writes() > before) return gather(turns + 1, writes())
      isGathering = false
      end()
    })
  }

  return function gatherSoon() {
    if (isGathering) return
    isGathering = true
    gather(1, writes())
  }
}

function lockedOut(): Error {
  return new Error(`another process has kept the write lock for ${BUSY_TIMEOUT_MS} ms`)
}
