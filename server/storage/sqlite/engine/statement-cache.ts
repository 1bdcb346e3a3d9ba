import type Database from 'better-sqlite3'
import { createBoundedMap } from '../../../platform/bounded-map.ts'

/** A few times the number of texts in the storage. No text holds values, so there are no more texts. */
const CACHED = 500

/**
 * Lets the connection compile each SQL text once. Drizzle compiles a query at every call, unless it was prepared:
 * without this cache a dynamic QR costs 320 µs more.
 *
 * All callers of one text share one statement, and with it the form of its rows (`raw`, `pluck`).
 * Held by test/server/storage/sqlite/sqlite.test.ts.
 */
export function cacheStatements(sqlite: Database.Database) {
  const cache = createBoundedMap<Database.Statement>(CACHED)
  const compile = sqlite.prepare.bind(sqlite)
  const prepare = (text: string): Database.Statement => {
    const known = cache.get(text)
    if (known) return known
    const statement = compile(text)
    cache.set(text, statement)
    return statement
  }
  // The types of parameters and rows stay with the caller, who names them.
  sqlite.prepare = prepare as typeof sqlite.prepare
}
