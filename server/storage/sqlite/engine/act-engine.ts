import type { Vault } from '../../../security/vault.ts'
import {
  type Act,
  carryOut,
  carryOutOne,
  type Engine,
  type PageCall,
  row,
  rows,
  type SqlDialect,
} from '../../acts/act.ts'
import { readGrantsRevision } from '../../acts/changes.ts'
import type { Page } from '../../shared/pages.ts'
import { createReadCache } from '../../shared/read-cache.ts'
import { perRowOn, runOn } from '../schema/statements.ts'
import type { OpenDatabase } from './database.ts'

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
  ofPayment: (number) => `a.payment_number = ${number}`,
  rowByRow: () => 'true',
  paymentKeys: '(SELECT number AS payment_number, client_id, ft_code FROM payments)',
  open: { from: 'announcements a', by: 'a' },
  presence: {
    join: '',
    isConnected: (born) => born,
    between: () => 'true',
    // In two parts, each of which reads few columns of few tables: a look at both tables for each device takes twice as long.
    away: [
      { from: 'devices d', number: 'd.number', condition: 'NOT coalesce(d.last_birth_at >= $1, false)' },
      {
        // In this order, a device is looked up only for a connection that has ended.
        from: 'device_health h CROSS JOIN devices d ON d.number = h.device_number',
        number: 'h.device_number',
        condition: 'h.left_at IS NOT NULL AND h.left_at > d.last_birth_at',
      },
    ],
  },
  // About a millisecond.
  scanned: 1_024,
  lateNumbers: 0,
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

/** Reads the revision of the grants. */
export function lookAtGrants({ sqlite, reading }: OpenDatabase): () => Promise<number> {
  const run = runOn(sqlite)
  return reading(() => carryOut(readGrantsRevision(), run))
}

/** Reads of grants are cached until `look` finds another revision. */
export function createActEngine(
  database: OpenDatabase,
  vault: Vault,
  look: () => Promise<number> = lookAtGrants(database),
): Engine {
  const { sqlite, commits, writing, reading } = database
  const run = runOn(sqlite)
  const readCache = createReadCache(look)
  const readingHere: Engine['reading'] = (act) => reading((...args) => carryOut(act(...args), run))
  return {
    ...SQLITE,
    perRow: perRowOn(sqlite),
    vault,
    writing: (act) => writing((...args) => carryOut(act(...args), run)),
    reading: readingHere,
    readingLocked: readingHere,
    batched: (_, act) => writing((call) => carryOutOne(act, call, run)),
    batchedPages<A, C, V>(_name: string, page: (calls: readonly PageCall<A, C>[]) => Act<Page<C, V>[]>) {
      return (call: A, committed: (value: V) => void) =>
        commits.writePages<C | undefined, V>(
          undefined,
          (cursor) => carryOutOne(page, { call, cursor }, run),
          committed,
        )
    },
    gathered: (_, act) => reading((call) => carryOutOne(act, call, run)),
    inPages: (first, page, committed) =>
      commits.writePages(first, (cursor) => carryOut(page(cursor), run), committed),
    *holdKey() {},
    cachedByGrants<V extends object>() {
      const cached = readCache<V>()
      return (key: string, read: () => Act<V | undefined>) => cached(key, readingHere(read))
    },
  }
}
