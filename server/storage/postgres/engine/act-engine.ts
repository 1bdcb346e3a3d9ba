import { keyIdOf } from '../../../security/vault.ts'
import { type Act, carryOutAsync, type Dialect, type Engine, row, rows } from '../../acts/act.ts'
import { inPages } from '../../shared/pages.ts'
import { columns } from '../rows/columns.ts'
import type { PostgresDatabase, Tx } from './database.ts'

/** What acts find different in PostgreSQL. */
export const POSTGRES: Dialect = {
  // They get their seqs after the commit.
  *events(added) {
    if (added.length === 0) return
    const stored = added.map((event) => ({ ...event, data: JSON.stringify(event.data) }))
    yield* rows(
      'events.add',
      `INSERT INTO event_queue (client_id, type, at, data)
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`,
      columns(stored, 'clientId', 'type', 'at', 'data'),
    )
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
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  trueLiteral: 'true',
  // Some ten milliseconds of the server.
  scanned: 10_000,
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
  each: (array) => `jsonb_array_elements((${array})::jsonb)`,
}

/** Answers the statements of acts in a transaction, or outside one. */
export function runOn(query: Tx['query']) {
  return ({ name, text, values }: { name: string; text: string; values: readonly unknown[] }) =>
    query<unknown>(name, text, values)
}

export function createActEngine({ read, write, audit, vault, cachedByGrants }: PostgresDatabase): Engine {
  const run = runOn(read)
  return {
    ...POSTGRES,
    vault,
    audit: audit.acts,
    writing:
      (act) =>
      (...args) =>
        write((tx) => carryOutAsync(act(...args), runOn(tx.query))),
    reading:
      (act) =>
      (...args) =>
        carryOutAsync(act(...args), run),
    inPages: (first, page, committed) =>
      inPages(first, async (cursor) => {
        const { value, next } = await write((tx) => carryOutAsync(page(cursor), runOn(tx.query)))
        committed?.(value)
        return next
      }),
    cachedByGrants<V extends object>() {
      const cached = cachedByGrants<V>()
      return (key: string, read: () => Act<V | undefined>) => cached(key, () => carryOutAsync(read(), run))
    },
    *holdKey() {
      const canary = yield* row<{ sealed: Buffer }>('keys.hold', 'SELECT sealed FROM vault_canary FOR SHARE')
      if (canary) vault.sealUnder(keyIdOf(canary.sealed))
    },
  }
}
