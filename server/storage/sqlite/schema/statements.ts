import type Database from 'better-sqlite3'
import type { Engine, Statement } from '../../acts/act.ts'

/** What acts find different in SQLite. */
export const SQLITE: Pick<Engine, 'lock' | 'forUpdate' | 'scanned' | 'among'> = {
  *lock() {},
  forUpdate: '',
  // About a millisecond.
  scanned: 1_024,
  among: (text, parameter) => `${text} IN (SELECT value FROM json_each(${parameter}))`,
}

/** Answers the statements of acts on one connection. */
export function runOn(sqlite: Database.Database) {
  return ({ text, values }: Statement): unknown[] => {
    const statement = sqlite.prepare(text)
    const bound = Object.fromEntries(values.map((value, index) => [index + 1, bindable(value)]))
    if (statement.reader) return statement.all(bound)
    statement.run(bound)
    return []
  }
}

/** SQLite has no booleans, no arrays and no undefined. */
function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (Array.isArray(value)) return JSON.stringify(value)
  return value === undefined ? null : value
}
