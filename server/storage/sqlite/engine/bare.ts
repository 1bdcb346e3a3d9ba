import { type Column, is, Param, Placeholder } from 'drizzle-orm'
import type { Orm } from './database.ts'

/*
 * Statements that Drizzle writes once and the driver runs by itself.
 *
 * Why: at each call Drizzle's own prepared statements look at every parameter and column again to find out what it
 * is. On the path of a payment, a dozen statements, that costs as much as what SQLite does. Everywhere else it does
 * not matter, and Drizzle runs what it has written.
 */

interface Written {
  toSQL(): { sql: string; params: unknown[] }
}

/** Values by the names of the placeholders. */
type Values = Readonly<Record<string, unknown>>

export interface BareRead<R> {
  get(values: Values): R | undefined
  all(values: Values): R[]
}

/** A query that answers these columns, in this order. */
export function bareRead<F extends Record<string, Column>, R>(
  orm: Orm,
  fields: F,
  query: Written & { all(): R[] },
): BareRead<R> {
  const { sql, params } = query.toSQL()
  const statement = orm.$client.prepare(sql).raw()
  const bind = binder(params)
  const columns = Object.entries(fields)

  function toRow(values: unknown[]): R {
    const row: Record<string, unknown> = {}
    let index = 0
    for (const [name, column] of columns) {
      const value = values[index]
      row[name] = value === null ? null : column.mapFromDriverValue(value)
      index += 1
    }
    // The query selects these columns: what it answers has their names and types.
    return row as R
  }

  return {
    get(values) {
      const found = statement.get(...bind(values))
      // The driver answers arrays, as `raw` has asked it to.
      return found === undefined ? undefined : toRow(found as unknown[])
    },
    all: (values) => (statement.all(bind(values)) as unknown[][]).map(toRow),
  }
}

/** An insertion that gives way to what is there: the number of the row that was inserted, undefined when none was. */
export function bareInsert(orm: Orm, query: Written): (values: Values) => number | undefined {
  const { sql, params } = query.toSQL()
  const statement = orm.$client.prepare(sql)
  const bind = binder(params)
  return (values) => {
    const { changes, lastInsertRowid } = statement.run(...bind(values))
    return changes === 0 ? undefined : Number(lastInsertRowid)
  }
}

/** A query that answers nothing; told is the number of the row that was inserted last. */
export function bareWrite(orm: Orm, query: Written): (values: Values) => number {
  const { sql, params } = query.toSQL()
  const statement = orm.$client.prepare(sql)
  const bind = binder(params)
  return (values) => Number(statement.run(...bind(values)).lastInsertRowid)
}

/** What a statement's parameters are, found out once: how each is had from the values. */
function binder(params: unknown[]): (values: Values) => unknown[] {
  const sources = params.map((param): ((values: Values) => unknown) => {
    if (is(param, Placeholder)) {
      const { name } = param
      return (values) => given(values, name)
    }
    if (is(param, Param) && is(param.value, Placeholder)) {
      const { encoder, value } = param
      return (values) => encoder.mapToDriverValue(given(values, value.name))
    }
    return () => param
  })
  return (values) => sources.map((source) => source(values))
}

function given(values: Values, name: string): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`no value for "${name}" was given`)
  return value
}
