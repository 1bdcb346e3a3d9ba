import type Database from 'better-sqlite3'
import { createBoundedMap } from '../../../platform/bounded-map.ts'
import { forColumns, type GivenRow, type SqlDialect, type Statement } from '../../acts/act.ts'

/** A few times the number of texts in the storage. No text holds values, so there are no more texts. */
const CACHED = 500

/** What the storage uses of the driver's statement. */
interface Prepared extends Pick<Database.Statement, 'run' | 'get' | 'all' | 'iterate' | 'reader'> {
  pluck(): Prepared
  raw(): Prepared
}

/**
 * Lets the connection compile each SQL text once, at its first use: an act prepares its texts at every call. A storage
 * prepares some 180 texts when it opens, and a command needs a few of them: to compile all of them would double the cost
 * of opening.
 *
 * All callers of one text share one statement, and with it the form of its rows (`raw`, `pluck`).
 * Held by test/server/storage/sqlite/sqlite.test.ts.
 */
export function cacheStatements(sqlite: Database.Database) {
  const cache = createBoundedMap<Prepared>(CACHED)
  const compile = sqlite.prepare.bind(sqlite)
  const prepare = (text: string): Prepared => {
    const known = cache.get(text)
    if (known) return known
    const statement = compiledAtFirstUse(() => compile(keepingPlan(text)))
    cache.set(text, statement)
    return statement
  }
  // The types of parameters and rows stay with the caller, who names them.
  sqlite.prepare = prepare as typeof sqlite.prepare
}

/**
 * The text with a plus before each parameter, which changes no value.
 *
 * Why: SQLite plans a statement with a join or an ORDER BY for the values that are bound (SQLITE_ENABLE_STAT4), and compiles
 * it again at each run: 4 µs become 20 (measured). It looks at no value behind an operator.
 */
function keepingPlan(text: string): string {
  return text.replaceAll(/[$@]\w+|\?/g, '+$&')
}

function compiledAtFirstUse(compile: () => Database.Statement): Prepared {
  let compiled: Database.Statement | undefined
  let plucks = false
  const use = () => (compiled ??= plucks ? compile().pluck() : compile())
  const statement: Prepared = {
    get reader() {
      return use().reader
    },
    run: (...values) => use().run(...values),
    get: (...values) => use().get(...values),
    all: (...values) => use().all(...values),
    iterate: (...values) => use().iterate(...values),
    /** The storage sets this form when it prepares the text, which must not compile it yet. */
    pluck() {
      plucks = true
      compiled?.pluck()
      return statement
    },
    raw() {
      use().raw()
      return statement
    },
  }
  return statement
}

const NO_ROWS = { from: '', rows: '', each: '' }

/**
 * Runs statements for rows of parameters on one connection, at once and as no step of an act: a birth has a dozen, and
 * each step costs it a microsecond or two.
 */
export function perRowOn(sqlite: Database.Database): SqlDialect['perRow'] {
  return (_, columns, text) => {
    const statement = sqlite.prepare<[object], unknown>(
      text(
        forColumns(columns, (column) => `@${column}`),
        NO_ROWS,
      ),
    )
    const fields = Object.keys(columns) as (keyof typeof columns)[]
    return function* <R>(given: readonly GivenRow<keyof typeof columns>[]) {
      yield* []
      const found: R[] = []
      for (const one of given) {
        const bound: Record<string, unknown> = {}
        for (const field of fields) bound[field] = bindable(one[field])
        if (statement.reader) for (const row of statement.all(bound)) found.push(row as R)
        else statement.run(bound)
      }
      return found
    }
  }
}

/** Answers the statements of acts on one connection. */
export function runOn(sqlite: Database.Database) {
  return ({ text, values }: Statement): unknown[] => {
    const statement = sqlite.prepare(text)
    const bound: Record<number, unknown> = {}
    for (let index = 0; index < values.length; index += 1) bound[index + 1] = bindable(values[index])
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
