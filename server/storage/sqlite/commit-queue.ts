import type Database from 'better-sqlite3'
import { HubError } from '../../errors.ts'
import { type StorageObserver, UNOBSERVED } from '../storage.ts'

/** Writes that may wait for a commit. Beyond it the hub says 503: a caller that waits for seconds is worse off. */
const QUEUE_LIMIT = 10_000
const RETRY_AFTER_S = 1
/** Turns that a commit waits at most for further writes, so that a stream of them can't hold up the first. */
export const GATHER_TURNS = 4

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
 * cost one flush and none loses its durability. Each act runs in a savepoint, so one that fails takes nothing
 * from its neighbours. Held by test/server/storage/commit-queue.test.ts.
 */
export interface CommitQueue {
  /** Runs `act` inside the next commit; resolves with its result once that is on disk. */
  write<T>(act: () => T): Promise<T>
  /** Commits what waits, now. */
  flush(): void
}

export function createCommitQueue(
  sqlite: Database.Database,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
): CommitQueue {
  const begin = sqlite.prepare('BEGIN IMMEDIATE')
  const commit = sqlite.prepare('COMMIT')
  const rollback = sqlite.prepare('ROLLBACK')
  const savepoint = sqlite.prepare('SAVEPOINT act')
  const release = sqlite.prepare('RELEASE act')
  const undo = sqlite.prepare('ROLLBACK TO act')
  let waiting: Waiting[] = []

  function run(act: () => unknown): { ok: true; value: unknown } | { ok: false; error: unknown } {
    savepoint.run()
    try {
      const value = act()
      release.run()
      return { ok: true, value }
    } catch (error) {
      undo.run()
      release.run()
      return { ok: false, error }
    }
  }

  function flush() {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    let results: ReturnType<typeof run>[]
    const startedAt = performance.now()
    try {
      begin.run()
      results = batch.map((entry) => run(entry.act))
      commit.run()
    } catch (error) {
      if (sqlite.inTransaction) rollback.run()
      const unavailable = new HubError('UNAVAILABLE', { retryAfterS: RETRY_AFTER_S, cause: error })
      for (const entry of batch) entry.reject(unavailable)
      return
    }
    observe.commit(batch.length, performance.now() - startedAt)
    for (const [index, entry] of batch.entries()) {
      const result = results[index]
      if (result?.ok) entry.resolve(result.value)
      else entry.reject(result?.error)
    }
  }

  /** Commits at the first turn that has brought nothing more. */
  function gather(turns: number, before: number) {
    setImmediate(() => {
      if (turns < GATHER_TURNS && waiting.length > before) gather(turns + 1, waiting.length)
      else flush()
    })
  }

  return {
    flush,
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
