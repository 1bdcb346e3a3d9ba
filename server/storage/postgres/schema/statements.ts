import { type Dialect, row, rows, type Statement } from '../../acts/act.ts'

/** What acts find different in PostgreSQL. */
export const POSTGRES: Dialect = {
  // It gets its seq after the commit.
  *event(clientId, type, at, data) {
    yield* rows(
      'events.addOne',
      'INSERT INTO event_queue (client_id, type, at, data) VALUES ($1, $2, $3, $4)',
      [...[clientId, type, at, JSON.stringify(data)]],
    )
  },
  *eventAtOnce(clientId, type, at, data) {
    const added = yield* row<{ seq: number }>(
      'events.addAtOnce',
      `WITH risen AS (
         UPDATE event_sequence SET last = greatest(last + 1, clock_ms() * 1000, $3::bigint * 1000) RETURNING last
       )
       INSERT INTO events (client_id, seq, at, type, data) SELECT $1, last, $3, $2, $4 FROM risen RETURNING seq`,
      [clientId, type, at, JSON.stringify(data)],
    )
    return added?.seq ?? 0
  },
  totalOf: (column, storeNumber) =>
    `coalesce((SELECT t.${column} FROM store_totals t WHERE t.store_number = ${storeNumber}), 0)::text`,
  forUpdate: 'FOR UPDATE',
  trueLiteral: 'true',
  paymentKeys: 'payment_keys',
  // A device of a hub that beats is connected while that hub runs.
  presence: {
    join: 'JOIN device_state st ON st.device_number = d.number',
    isConnected: (born) =>
      `st.session_id IS NOT NULL AND CASE WHEN st.hub IS NULL THEN ${born} ELSE st.hub IN (SELECT id FROM live_hubs) END`,
  },
  // Some ten milliseconds of the server.
  scanned: 10_000,
  *lock(name, select, values) {
    const locked = yield* rows(name, `${select} FOR NO KEY UPDATE`, values)
    return locked.length > 0
  },
  among: (value, parameter, type = 'text') => `${value} = ANY(${parameter}::${type}[])`,
  ifGiven: (_, parameter, type, condition) => `(${parameter}::${type} IS NULL OR ${condition})`,
  unindexed: '',
}

/** Answers the statements of acts in a transaction, or outside one. */
export function runOn(query: (...statement: [string, string, readonly unknown[]]) => Promise<unknown[]>) {
  return ({ name, text, values }: Statement) => query(name, text, values)
}
