import type Database from 'better-sqlite3'
import {
  type Engine,
  forColumns,
  type GivenRow,
  row,
  rows,
  type SqlDialect,
  type Statement,
} from '../../acts/act.ts'

const NO_ROWS = { from: '', rows: '', each: '' }

const eventAtOnce: Engine['eventAtOnce'] = function* ({ clientId, type, at, data }) {
  const added = yield* row<{ seq: number }>(
    'events.add',
    `INSERT INTO events (client_id, seq, at, type, data)
     VALUES ($1, max($3 * 1000, 1 + coalesce(
       (SELECT max(seq) FROM events WHERE client_id = $1),
       (SELECT seq FROM deleted_events WHERE client_id = $1), 0
     )), $3, $2, $4) RETURNING seq`,
    [clientId, type, at, JSON.stringify(data)],
  )
  return added?.seq ?? 0
}

/** What acts find different in SQLite. */
export const SQLITE: Omit<SqlDialect, 'perRow'> = {
  *lock() {
    yield* []
    return true
  },
  *events(added) {
    for (const event of added) yield* eventAtOnce(event)
  },
  eventAtOnce,
  *addState() {},
  *raise(revised) {
    yield* rows('revisions.raise', 'UPDATE revisions SET revision = revision + 1 WHERE name = $1', [revised])
  },
  // The newest are in a small table: see rows/stores.ts.
  totalOf(column, storeNumber) {
    const inTable = (table: string) =>
      `coalesce((SELECT t.${column} FROM ${table} t WHERE t.store_number = ${storeNumber}), 0)`
    return `cast(${inTable('store_totals')} + ${inTable('store_totals_recent')} AS text)`
  },
  forUpdate: '',
  lastly: (act) => act,
  forChange: () => '',
  skipLocked: '',
  trueLiteral: '1',
  paymentKeys: '(SELECT number AS payment_number, client_id, ft_code FROM payments)',
  presence: { join: '', isConnected: (born) => born },
  // About a millisecond.
  scanned: 1_024,
  sessions:
    '(SELECT number AS device_number, session_id, NULL AS heard_at, false AS is_running FROM devices)',
  among: (value, parameter) => `${value} IN (SELECT value FROM json_each(${parameter}))`,
  lockPerRow: () =>
    function* () {
      yield* []
      return []
    },
  each: (array) => `json_each(${array})`,
  ifGiven: (value, _parameter, _type, condition) => (value === undefined ? 'true' : condition),
  unindexed: '+',
}

/**
 * Runs such statements on one connection, at once and as no step of an act: a birth has a dozen, and each step costs it a
 * microsecond or two.
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
