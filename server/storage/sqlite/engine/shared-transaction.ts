import Database from 'better-sqlite3'

export type ActResult = { ok: true; value: unknown } | { ok: false; error: unknown }

/**
 * Why acts may run twice: to roll back one act needs a savepoint, for which SQLite copies every page that the act is
 * the first to change: a dozen pages for a payment, a quarter of its cost (measured). Almost no act fails. So acts run
 * without savepoints. When one fails, the transaction is rolled back and all acts run again, each in a savepoint.
 * Held by test/server/storage/sqlite/engine/commit-queue.test.ts.
 */
export function createSharedTransaction(sqlite: Database.Database) {
  const begin = sqlite.prepare('BEGIN IMMEDIATE')
  const commit = sqlite.prepare('COMMIT')
  const rollback = sqlite.prepare('ROLLBACK')
  const savepoint = sqlite.prepare('SAVEPOINT act')
  const release = sqlite.prepare('RELEASE act')
  const undo = sqlite.prepare('ROLLBACK TO act')
  let rollbacks = 0

  /** False when another process writes. */
  function begun(): boolean {
    try {
      begin.run()
      return true
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
      throw error
    }
  }

  function runInSavepoint(act: () => unknown): ActResult {
    savepoint.run()
    try {
      const value = act()
      release.run()
      return { ok: true, value }
    } catch (error) {
      rollbacks += 1
      undo.run()
      release.run()
      return { ok: false, error }
    }
  }

  /** Some failures, for instance a full disk, have already ended the transaction. */
  function end() {
    rollbacks += 1
    if (sqlite.inTransaction) rollback.run()
  }

  return {
    /** Counts rollbacks, of the transaction or of one act. */
    rollbacks: () => rollbacks,

    /**
     * Runs acts in one transaction, in their order, and commits it. An act that throws is rolled back alone. Returns
     * undefined, without running any, when another process writes. Throws when nothing could be committed.
     */
    run(acts: (() => unknown)[]): ActResult[] | undefined {
      try {
        if (!begun()) return undefined
        let results = runAll(acts)
        if (!results) {
          end()
          if (!begun()) return undefined
          results = acts.map(runInSavepoint)
        }
        commit.run()
        return results
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

/** Undefined when an act has failed. */
function runAll(acts: (() => unknown)[]): ActResult[] | undefined {
  try {
    return acts.map((act) => ({ ok: true, value: act() }))
  } catch {
    return undefined
  }
}
