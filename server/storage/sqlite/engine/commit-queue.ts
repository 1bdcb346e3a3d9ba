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
export class CommitQueue {
  readonly #sqlite: Database.Database
  readonly #observe: Pick<StorageObserver, 'commit'>
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #transaction: ReturnType<typeof createSharedTransaction>
  /** Writes, and first pages of long acts. */
  #waiting: Waiting[] = []
  /** Later pages of long acts. */
  #pages: Waiting[] = []
  #isGathering = false
  /** Since when another process has held the write lock. Undefined when it does not. */
  #lockedOutSince: number | undefined
  #cancelRetry: () => void = () => undefined

  constructor(
    sqlite: Database.Database,
    observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
    clock: Pick<Clock, 'now' | 'after'> = queueClock,
  ) {
    this.#sqlite = sqlite
    this.#observe = observe
    this.#clock = clock
    this.#transaction = createSharedTransaction(sqlite)
    sqlite.pragma('busy_timeout = 0')
  }

  /** Writes that wait for their commit. */
  get waiting(): number {
    return this.#waiting.length + this.#pages.length
  }

  /** Counts rollbacks. Empty every cache that was filled inside a transaction when this changes. */
  get rollbacks(): number {
    return this.#transaction.rollbacks()
  }

  /**
   * Runs `act` inside the next commit, and resolves with its result when the commit is on disk. `act` may run twice:
   * when another act of the commit fails, all run again. Driver errors become UNAVAILABLE.
   */
  write<T>(act: () => T): Promise<T> {
    if (this.#waiting.length >= QUEUE_LIMIT) return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      // The queue holds acts of every type. Each `resolve` gets the value of its own act.
      this.#add({ act, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  /**
   * Carries out a long act page by page, each in a commit with other writes. `page` gets `first`, then the `next` of the
   * page before, until it returns none. It may run twice, as `act` may: `committed` gets its value once, after its
   * commit. Resolves after the last commit. When a page fails, the earlier ones stay.
   *
   * The first page should be small: it is an ordinary write, because most long acts have no other page. Each commit takes
   * one later page, the one that has waited longest. So any number of long acts slows the other writes by one page.
   */
  writePages<C, V>(first: C, page: (cursor: C) => Page<C, V>, committed?: (value: V) => void): Promise<void> {
    if (this.#waiting.length >= QUEUE_LIMIT) return Promise.reject(unavailable())
    const later = (entry: Waiting) => this.#pages.push(entry)
    return new Promise<void>((resolve, reject) => {
      this.#add(pageAt(first, { page, committed, later, resolve, reject }))
    })
  }

  /** Commits the waiting writes now. Blocks while another process writes. */
  flush() {
    this.#cancelRetry()
    if (this.waiting === 0) return
    this.#sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    while (this.waiting > 0) if (!this.#commit()) this.#refuse(lockedOut())
    this.#sqlite.pragma('busy_timeout = 0')
  }

  #add(entry: Waiting) {
    this.#waiting.push(entry)
    this.#gather()
  }

  /** Commits at the first turn of the event loop that brings no further write. */
  #gather() {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#gatherFor(1, this.#waiting.length)
  }

  #gatherFor(turns: number, before: number) {
    setImmediate(() => {
      const now = this.#waiting.length
      if (turns < GATHER_TURNS && now > before) return this.#gatherFor(turns + 1, now)
      this.#isGathering = false
      if (this.#lockedOutSince === undefined) this.#commitWhenFree()
    })
  }

  /** As `#commit`. Retries by a timer while another process writes. */
  #commitWhenFree() {
    if (this.#commit()) return
    this.#lockedOutSince ??= this.#clock.now()
    if (this.#clock.now() - this.#lockedOutSince >= BUSY_TIMEOUT_MS) this.#refuse(lockedOut())
    else this.#cancelRetry = this.#clock.after(RETRY_MS, () => this.#commitWhenFree())
  }

  /** Commits the waiting writes and one page, and settles them. False when another process writes. */
  #commit(): boolean {
    const batch = [...this.#waiting, ...this.#pages.slice(0, 1)]
    if (batch.length === 0) return true
    const startedAt = performance.now()
    let results: ActResult[] | undefined
    try {
      results = this.#transaction.run(batch.map((entry) => entry.act))
    } catch (error) {
      this.#refuse(error)
      return true
    }
    if (results === undefined) return false
    this.#observe.commit(batch.length, performance.now() - startedAt)
    this.#waiting = []
    this.#pages = this.#pages.slice(1)
    this.#lockedOutSince = undefined
    for (const [index, entry] of batch.entries()) {
      const result = results[index]
      if (result?.ok) entry.resolve(result.value)
      else entry.reject(mapDriverError(result?.error))
    }
    if (this.#pages.length > 0) this.#gather()
    return true
  }

  #refuse(cause: unknown) {
    const error = unavailable(cause)
    const refused = [...this.#waiting, ...this.#pages]
    this.#waiting = []
    this.#pages = []
    this.#lockedOutSince = undefined
    for (const entry of refused) entry.reject(error)
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

function lockedOut(): Error {
  return new Error(`another process has kept the write lock for ${BUSY_TIMEOUT_MS} ms`)
}
