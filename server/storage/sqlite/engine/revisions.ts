import type Database from 'better-sqlite3'
import type { Revised } from '../schema/schema.ts'

/**
 * Tells every connection to the file, in every thread and process, that something has changed.
 * Why not SQLite's own data_version: every commit of another connection changes that, and every payment is a commit.
 */
export interface Revisions {
  /** Rises with every change, at the commit of the change. */
  of(name: Revised): number
  /** Call it in the commit that makes the change. */
  raise(name: Revised): void
}

export function createRevisions(sqlite: Database.Database): Revisions {
  const read = sqlite.prepare<[Revised], number>('SELECT revision FROM revisions WHERE name = ?').pluck()
  const raise = sqlite.prepare<[Revised]>('UPDATE revisions SET revision = revision + 1 WHERE name = ?')
  return {
    of: (name) => read.get(name) ?? 0,
    raise: (name) => void raise.run(name),
  }
}
