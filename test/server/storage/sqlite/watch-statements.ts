import Database from 'better-sqlite3'
import { afterAll, vi } from 'vitest'
import { BY_TEST } from '../tables.ts'

/** What opening and migrating a file compiles, by its beginning: it runs once, before the storage is there. */
const OPENING =
  /^(CREATE|ALTER|DROP|SELECT 1 FROM sqlite_schema|SELECT created_at FROM __drizzle|INSERT INTO __drizzle|(SELECT|INSERT INTO) .*vault_canary)/

/** Notes every text that the driver compiles from here to the end of the test file. */
export function watchStatements() {
  const byConnection = new Map<unknown, Map<string, number>>()
  const original = Database.prototype.prepare
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database.Database,
    text,
  ) {
    if (text.startsWith(BY_TEST)) return original.call(this, text)
    const counts = byConnection.get(this) ?? new Map<string, number>()
    byConnection.set(this, counts.set(text, (counts.get(text) ?? 0) + 1))
    return original.call(this, text)
  })
  afterAll(() => spy.mockRestore())
  const all = () => [...byConnection.values()].flatMap((counts) => [...counts])
  return {
    count: () => all().reduce((sum, [, times]) => sum + times, 0),
    texts: () => [...new Set(all().map(([text]) => text))],
    /** What one connection has compiled more than once. */
    repeated: () => [
      ...new Set(all().flatMap(([text, times]) => (times > 1 && !OPENING.test(text) ? [text] : []))),
    ],
  }
}
