import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Client } from 'pg'
import type { Pruned, Storage } from '../../../server/storage/ports.ts'

/** Bytes of the tables by what grows them. */
export interface Disk {
  rows: number
  indexes: number
  events: number
  /** What stays of a payment when retention has deleted it. */
  deleted: number
  deliveries: number
}

const EVENTS = /^(event|deleted_event)/
const DELIVERIES = /^deliver/
/** A key of a payment stays as long as what is left of the payment. */
const DELETED = /^(deleted_payments|payment_keys)/

export async function diskOf(client: Client): Promise<Disk> {
  const { rows } = await client.query<{ name: string; rows: string; indexes: string }>(
    `SELECT relname AS name, pg_table_size(oid) AS rows, pg_indexes_size(oid) AS indexes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  const sum = (of: (table: { name: string; rows: number; indexes: number }) => number) =>
    rows.reduce((all, { name, ...sizes }) => {
      return all + of({ name, rows: Number(sizes.rows), indexes: Number(sizes.indexes) })
    }, 0)
  const all = (names: RegExp) => sum((one) => (names.test(one.name) ? one.rows + one.indexes : 0))
  const isOther = (name: string) => !EVENTS.test(name) && !DELIVERIES.test(name)
  return {
    rows: sum(({ name, rows }) => (isOther(name) ? rows : 0)),
    indexes: sum(({ name, indexes }) => (isOther(name) ? indexes : 0)),
    events: all(EVENTS),
    deleted: all(DELETED),
    deliveries: all(DELIVERIES),
  }
}

/** The same of a hub's file. The rows are all but the events, with their indexes. */
export function fileOf(dataDir: string): Pick<Disk, 'rows' | 'events'> {
  const file = new Database(join(dataDir, 'hub.db'), { readonly: true })
  try {
    const size = file
      .prepare<[], Pick<Disk, 'rows' | 'events'>>(
        `SELECT sum(pgsize) FILTER (WHERE tbl_name NOT GLOB '*event*') AS rows,
                sum(pgsize) FILTER (WHERE tbl_name GLOB '*event*') AS events
         FROM dbstat JOIN sqlite_schema USING (name)`,
      )
      .get()
    if (!size) throw new Error('a file without tables')
    return size
  } finally {
    file.close()
  }
}

const HOUR_MS = 60 * 60_000
/** Retention by a clock that is so many hours ahead, of payments that are kept for eight. */
const retainAt = ({ retention }: Pick<Storage, 'retention'>, hours: number) => {
  const at = Date.now() + hours * HOUR_MS
  return prunePages((after) => retention.prunePayments(at - 8 * HOUR_MS, after, at))
}

/** Begins a partition: payments go there from here on, and `deleteAll` drops it. */
export const beginPartition = (storage: Pick<Storage, 'retention'>) => retainAt(storage, 2)

/** Deletes all payments of the partition, step after step without a rest, with all that this takes to know a repeat. */
export async function deleteAll(
  storage: Pick<Storage, 'retention'>,
): Promise<{ deleted: number; tookMs: number }> {
  await retainAt(storage, 4)
  const startedAt = performance.now()
  const deleted = await retainAt(storage, 13)
  return { deleted, tookMs: performance.now() - startedAt }
}

async function prunePages(prune: (after: string) => Promise<Pruned>): Promise<number> {
  let deleted = 0
  let after: string | undefined = ''
  while (after !== undefined) {
    const page = await prune(after)
    deleted += page.deleted
    after = page.next
  }
  return deleted
}
