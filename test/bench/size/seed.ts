import { Client } from 'pg'
import { createVault } from '../../../server/security/vault.ts'
import { SESSION } from '../growth/seed.ts'
import { createShopRows, type Size } from '../growth/shop-rows.ts'
import { MASTER_KEY, type Partner } from '../parts/market.ts'
import { type Copy, startCopy, type Value } from './copy.ts'
import {
  COLUMNS,
  createHistory,
  DAY_MS,
  DAYS,
  type HistoryTill,
  type PaidShop,
  shopNumberOf,
} from './history.ts'
import { partsOf, rowNumberOf } from './periods.ts'

/** Payments whose rows are packed before Node.js waits for the server to take them. */
const AT_ONCE = 200
/** The rows of a history bring their events and what is open: no trigger adds a row, and no reference is looked up. */
const SEEDING = '?options=-c%20session_replication_role%3Dreplica'

export interface Seeding {
  partner: Partner
  shops: readonly PaidShop[]
  /** Of partitions: see `layPeriods`. */
  periods: number
  startedAt: number
}

/** A filled database. */
export interface Seeded extends Seeding {
  url: string
  size: Size
  /** How long it took to fill, with the indices and the vacuum. */
  seconds: number
  bytes: number
}

/** Fills the shops of the partner into a database that has none. */
export async function seedShops(
  url: string,
  { clientId }: Partner,
  count: number,
  at: number,
): Promise<PaidShop[]> {
  const rowsOf = createShopRows(createVault(MASTER_KEY), clientId, at)
  const shops = Array.from({ length: count }, (_, index) => ({
    number: shopNumberOf(index),
    ...rowsOf(index),
  }))
  const client = await connect(`${url}${SEEDING}`)
  try {
    await copyAll(
      client,
      'users',
      shops.map(({ user }) => user),
    )
    await copyAll(
      client,
      'stores',
      shops.map(({ store, number }) => ({ ...store, number })),
    )
    await copyAll(
      client,
      'devices',
      shops.map(({ device, number }) => ({ ...device, number })),
    )
    await copyAll(
      client,
      'device_stores',
      shops.map(({ number }) => ({ store_number: number, device_number: number, linked_at: at })),
    )
    for (const table of ['stores', 'devices']) await continueNumbers(client, table, count)
  } finally {
    await client.end()
  }
  return shops.map(({ store, device }) => ({ storeId: store.id, deviceId: device.id }))
}

/**
 * Fills the payments of the past into a database that has the shops. Each table or partition is emptied and filled in one
 * transaction, so that PostgreSQL logs no row (wal_level = minimal). Indices are built afterwards.
 */
export async function seedPayments(url: string, seeding: Seeding, size: Size): Promise<Seeded> {
  const began = performance.now()
  const { partner, shops, periods, startedAt } = seeding
  const { clientId } = partner
  const history = createHistory(createVault(MASTER_KEY), { clientId, shops, size, periods, startedAt })
  const opened = new AsyncDisposableStack()
  const open = async () => {
    const client = await connect(`${url}${SEEDING}`)
    opened.defer(() => client.end())
    return client
  }
  try {
    const client = await open()
    const buildIndices: (() => Promise<void>)[] = []
    for (const table of Object.keys(COLUMNS)) buildIndices.push(await takeIndices(client, table))
    const parts = new Map<string, Copy>()
    const partOf = partsOf({ periods, startedAt, lengthMs: DAYS * DAY_MS })
    for (let index = 0; index < size.payments; index += 1) {
      for (const [table, row] of history.rowsOf(index)) {
        const name = partOf(table, row)
        const part = parts.get(name) ?? (await beginPart(await open(), name, COLUMNS[table]))
        parts.set(name, part)
        part.add(row)
      }
      if (index % AT_ONCE === 0) for (const { taken } of parts.values()) await taken()
    }
    for (const { end } of parts.values()) await end()
    for (const build of buildIndices) await build()
    const highest = rowNumberOf(size.payments - 1, { periods, payments: size.payments })
    const bytes = await finish(client, highest, history.tills)
    return { ...seeding, url, size, bytes, seconds: (performance.now() - began) / 1_000 }
  } finally {
    await opened.disposeAsync()
  }
}

/** Fills a table or a partition. Its rows are frozen, so that no vacuum writes them again. */
async function beginPart(client: Client, name: string, columns: string): Promise<Copy> {
  await client.query('BEGIN')
  await client.query(`TRUNCATE ${name}`)
  const copy = await startCopy(client, name, columns.split(' '), ', FREEZE')
  return {
    ...copy,
    async end() {
      await copy.end()
      await client.query('COMMIT')
    },
  }
}

/** Takes the indices of an empty table and its partitions away. The returned function builds them. */
async function takeIndices(client: Client, table: string): Promise<() => Promise<void>> {
  const { indices, constraints } = await describe(client, table)
  for (const { name } of constraints) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  for (const { name } of indices) await client.query(`DROP INDEX ${name}`)
  return async () => {
    for (const { name, definition } of constraints)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    for (const { definition } of indices) await client.query(definition)
  }
}

interface Named {
  name: string
  definition: string
}

async function describe(client: Client, table: string) {
  const { rows: constraints } = await client.query<Named>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('p', 'u')`,
    [table],
  )
  const { rows: indices } = await client.query<Named>(
    `SELECT indexrelid::regclass::text AS name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
     FROM pg_index WHERE indrelid = $1::regclass
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)`,
    [table],
  )
  return { constraints, indices }
}

/** Stores what the payments have changed of their shops, and lets numbers and seqs go on. Returns the bytes of the database. */
async function finish(client: Client, highest: number, tills: readonly HistoryTill[]): Promise<number> {
  const paid = tills.filter(({ count }) => count > 0)
  await copyAll(
    client,
    'store_totals',
    paid.map(({ storeRowId, count, amount }) => ({
      ...{ store_number: storeRowId, total_transaction: count, total_amount: amount },
    })),
  )
  await copyAll(
    client,
    'device_state',
    tills.map(({ device: { rowId, n } }) => ({ device_number: rowId, n, session_id: SESSION })),
  )
  for (const table of ['payments', 'announcements']) await continueNumbers(client, table, highest)
  await client.query('UPDATE event_sequence SET last = (SELECT max(seq) FROM events)')
  await client.query('VACUUM (FREEZE, ANALYZE)')
  await client.query('CHECKPOINT')
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  )
  return Number(rows[0]?.bytes)
}

/** New rows have numbers above this one. */
async function continueNumbers(client: Client, table: string, highest: number) {
  await client.query("SELECT setval(pg_get_serial_sequence($1, 'number'), $2)", [table, highest])
}

/** Copies rows that have the same columns. */
async function copyAll(client: Client, table: string, rows: readonly Record<string, Value>[]) {
  const [first] = rows
  if (!first) return
  const copy = await startCopy(client, table, Object.keys(first))
  for (const row of rows) {
    copy.add(Object.values(row))
    await copy.taken()
  }
  await copy.end()
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}
