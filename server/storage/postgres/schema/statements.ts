import { type Engine, rows, type Statement } from '../../acts/act.ts'

/** What acts find different in PostgreSQL. */
export const POSTGRES: Pick<
  Engine,
  'lock' | 'event' | 'totalOf' | 'forUpdate' | 'trueLiteral' | 'scanned' | 'among'
> = {
  // It gets its seq after the commit.
  *event(clientId, type, at, data) {
    yield* rows(
      'events.addOne',
      'INSERT INTO event_queue (client_id, type, at, data) VALUES ($1, $2, $3, $4)',
      [...[clientId, type, at, JSON.stringify(data)]],
    )
  },
  totalOf: (column, storeNumber) =>
    `coalesce((SELECT t.${column} FROM store_totals t WHERE t.store_number = ${storeNumber}), 0)::text`,
  forUpdate: 'FOR UPDATE',
  trueLiteral: 'true',
  // Some ten milliseconds of the server.
  scanned: 10_000,
  *lock(name, select, values) {
    const locked = yield* rows(name, `${select} FOR NO KEY UPDATE`, values)
    return locked.length > 0
  },
  among: (text, parameter) => `${text} = ANY(${parameter}::text[])`,
}

/** Answers the statements of acts in a transaction, or outside one. */
export function runOn(query: (...statement: [string, string, readonly unknown[]]) => Promise<unknown[]>) {
  return ({ name, text, values }: Statement) => query(name, text, values)
}
