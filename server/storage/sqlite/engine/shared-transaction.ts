import Database from 'better-sqlite3'

export type ActResult = { ok: true; value: unknown } | { ok: false; error: unknown }

export interface SharedTransaction {
  /**
   * Runs acts in one transaction, in their order, and commits it; one that throws is taken back whole, and takes
   * nothing from its neighbours. Undefined, and nothing done, when another process writes; throws when nothing
   * could be committed.
   */
  run(acts: (() => unknown)[]): ActResult[] | undefined
  /** Counts rollbacks, of the transaction or of one act. */
  rollbacks(): number
}

/**
 * Why acts may run twice: taking one back needs a savepoint, for which SQLite copies every page that the act is
 * the first to change; a dozen to a payment, and measured, a quarter of its cost. Almost no act fails. So they run
 * without, and only when one has failed all is rolled back and done again, each in a savepoint of its own.
 * Held by test/server/storage/sqlite/engine/commit-queue.test.ts.
 */
export function createSharedTransaction(sqlite: Database.Database): SharedTransaction {
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

  function runBare(acts: (() => unknown)[]): ActResult[] | undefined {
    try {
      return acts.map((act) => ({ ok: true, value: act() }))
    } catch {
      return undefined
    }
  }

  function runGuarded(act: () => unknown): ActResult {
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

  /** Some failures, a full disk among them, have ended the transaction by themselves. */
  function end() {
    rollbacks += 1
    if (sqlite.inTransaction) rollback.run()
  }

  return {
    rollbacks: () => rollbacks,
    run(acts) {
      try {
        if (!begun()) return undefined
        let results = runBare(acts)
        if (!results) {
          end()
          if (!begun()) return undefined
          results = acts.map(runGuarded)
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
