import {
  forColumns,
  type GivenRow,
  row,
  rows,
  type SqlDialect,
  type Statement,
  together,
} from '../../acts/act.ts'

const perRow: SqlDialect['perRow'] = (name, types, text) => {
  const fields = Object.keys(types) as (keyof typeof types)[]
  const typed = fields.map((field, index) => `$${index + 1}::${types[field]}[]`)
  const row = `unnest(${typed.join(', ')}) AS r (${fields.map((field) => `"${field}"`).join(', ')})`
  const parameters = forColumns(types, (field) => `r."${field}"`)
  const statement = text(parameters, { from: `FROM ${row}`, rows: `${row},`, each: `${row}, LATERAL` })
  return function* <R>(given: readonly GivenRow<keyof typeof types>[]) {
    const arrays = fields.map((field) => given.map((one) => one[field]))
    return given.length === 0 ? [] : yield* rows<R>(name, statement, arrays)
  }
}

const addEvents = perRow(
  'events.add',
  { clientId: 'text', type: 'text', at: 'bigint', data: 'text' },
  (_, { from }) => `INSERT INTO event_queue (client_id, type, at, data) SELECT * ${from}`,
)

/** Numbers of a partition of payments and announcements. Far more than come in its time: it never fills up. */
export const WIDTH = 10_000_000_000

/** What an act yields to end its transaction. */
const END = 'COMMIT'

/** What acts find different in PostgreSQL. */
export const POSTGRES: SqlDialect = {
  // They get their seqs after the commit.
  *events(added) {
    yield* addEvents(added.map((event) => ({ ...event, data: JSON.stringify(event.data) })))
  },
  *eventAtOnce({ clientId, type, at, data }) {
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
  *addState(deviceRowId) {
    yield* rows('devices.addState', 'INSERT INTO device_state (device_number) VALUES ($1)', [deviceRowId])
  },
  totalOf: (column, storeNumber) =>
    `coalesce((SELECT t.${column} FROM store_totals t WHERE t.store_number = ${storeNumber}), 0)::text`,
  *raise(revised) {
    // It caches no stores.
    if (revised !== 'stores')
      yield* rows('revisions.raise', 'UPDATE revisions SET revision = revision + 1 WHERE name = $1', [
        revised,
      ])
  },
  forUpdate: 'FOR UPDATE',
  *lastly(act) {
    const [result] = yield* together(act, rows('commit', END))
    return result
  },
  forChange: (table) => `FOR NO KEY UPDATE OF ${table}`,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  trueLiteral: 'true',
  // By the partitions that may have it, or all would be searched. A transaction under way at a partition's end may put the
  // announcement into the next one.
  ofPayment: (number) =>
    `a.payment_number = ${number} AND a.number >= ${number} - ${number} % ${WIDTH} AND a.number < ${number} - ${number} % ${WIDTH} + ${2 * WIDTH}`,
  rowByRow: (table, key) =>
    `${key} < (SELECT min(w.least) FROM partitions w WHERE w.series = '${table}' AND w.is_whole)`,
  paymentKeys: 'payment_keys',
  // The row of an announcement is read again behind a wait for its lock, the one beside it is not: hence OPEN.
  open: { from: 'open_announcements o JOIN announcements a ON a.number = o.number', by: 'o' },
  // A device of a hub that beats is connected while that hub runs.
  presence: {
    join: 'JOIN device_state st ON st.device_number = d.number',
    isConnected: (born) =>
      `st.session_id IS NOT NULL AND CASE WHEN st.hub IS NULL THEN ${born} ELSE st.hub IN (SELECT id FROM live_hubs) END`,
    between: (from, below) => `st.device_number >= ${from} AND st.device_number < ${below}`,
    away: [
      {
        from: 'device_state st',
        number: 'st.device_number',
        condition: `($1::bigint IS NULL OR st.session_id IS NULL OR st.hub IS NULL
          OR st.hub NOT IN (SELECT id FROM live_hubs))`,
      },
    ],
  },
  // Some ten milliseconds of the server.
  scanned: 10_000,
  // Ten seconds of payments at the rate that one server takes. No transaction is longer.
  lateNumbers: 10_000,
  *lock(name, select, values) {
    const locked = yield* rows(name, `${select} FOR NO KEY UPDATE`, values)
    return locked.length > 0
  },
  // No EXISTS: the server would read all sessions, because live_hubs asks for the time.
  sessions: `(
    SELECT o.device_number, o.session_id, b.beat_at AS heard_at, l.id IS NOT NULL AS is_running
    FROM device_state o LEFT JOIN hubs b ON b.id = o.hub LEFT JOIN live_hubs l ON l.id = o.hub
  )`,
  among: (value, parameter, type = 'text') => `${value} = ANY(${parameter}::${type}[])`,
  perRow,
  lockPerRow: perRow,
  each: (array) => `jsonb_array_elements((${array})::jsonb)`,
  ifGiven: (_, parameter, type, condition) => `(${parameter}::${type} IS NULL OR ${condition})`,
  unindexed: '',
}

/** Answers the statements of acts in a transaction, which `end` ends, or outside one. */
export function runOn(
  query: (...statement: [string, string, readonly unknown[]]) => Promise<unknown[]>,
  end: () => void = () => undefined,
) {
  return (asked: Statement): Promise<unknown[]> => {
    if (asked.text !== END) return query(asked.name, asked.text, asked.values)
    end()
    return Promise.resolve([])
  }
}
