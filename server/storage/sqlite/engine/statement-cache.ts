import type Database from 'better-sqlite3'
import { createBoundedMap } from '../../../platform/bounded-map.ts'

/** Texts that stay compiled: some times what the storage has. No text is made of values, so it has no more. */
const KEPT = 500

/**
 * Has the connection compile each text once, whoever asks for it how often. Drizzle asks at every call of a query
 * that was not prepared by name, and compiling one costs more than running it.
 *
 * A statement that is asked for again is the same object: how it answers (`raw`, `pluck`) is for all who use that
 * text. Held by test/server/storage/sqlite.test.ts.
 */
export function prepareOnce(sqlite: Database.Database) {
  const kept = createBoundedMap<Database.Statement>(KEPT)
  const prepare = (text: string): Database.Statement => {
    const known = kept.get(text)
    if (known) return known
    const statement = Object.getPrototypeOf(sqlite).prepare.call(sqlite, text)
    kept.set(text, statement)
    return statement
  }
  // Only the types of what is bound and answered are lost, which no caller of Drizzle names.
  sqlite.prepare = prepare as typeof sqlite.prepare
}
