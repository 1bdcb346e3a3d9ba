import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import {
  LOCK_SCHEMA,
  migrate,
  readMigrations,
} from '../../../../../server/storage/postgres/schema/migrate.ts'
import { createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { testMasterKey } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

/** The version that adds the indices of lists. */
const LISTS = 8
/** The last version without partitions. */
const WHOLE = 13
/** The version from which open announcements are in a table of their own. */
const OPEN_APART = 13

const found = await startTestPostgres()

async function connected(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe.skipIf(!found)('the schema', () => {
  if (!found) return
  const { bare, database, open } = found

  it('is made once by hubs that start at once', async () => {
    const url = await bare()
    const hubs = await Promise.all([open(url), open(url), open(url)])
    const clientId = await createShop(hubs[0]).partner()
    expect(await hubs[2].partners.find(clientId)).toMatchObject({ clientId })
  })

  it('compares all texts by their bytes', async () => {
    const client = await connected(await database())
    const { rows } = await client.query(
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
    )
    expect(rows).toEqual([])
  })

  it('of a newer hub stays as it is, while that hub allows this one', async () => {
    const url = await database()
    const client = await connected(url)
    await client.query('UPDATE schema SET version = 1000')
    await open(url)
    expect((await client.query('SELECT version FROM schema')).rows).toEqual([{ version: 1000 }])
    await client.query('UPDATE schema SET oldest_hub = 1000')
    await expect(open(url)).rejects.toThrow(/start the hub of the newer release/)
  })

  it('finds indices of lists that were built before the upgrade', async () => {
    const url = await bare()
    const client = await connected(url)
    const migrations = readMigrations()
    await migrate(
      client,
      migrations.filter(({ version }) => version < LISTS),
    )
    const added = migrations.find(({ version }) => version === LISTS)?.sql.replaceAll(/^--.*$/gm, '') ?? ''
    const indices = added.split(';').filter((sql) => sql.trim() !== '')
    for (const sql of indices)
      await client.query(sql.replace('CREATE INDEX IF NOT EXISTS', 'CREATE INDEX CONCURRENTLY'))
    expect(indices).toHaveLength(9)
    await open(url)
    const newest = Math.max(...migrations.map(({ version }) => version))
    expect((await client.query('SELECT version FROM schema')).rows).toEqual([{ version: newest }])
  })

  it('moves what is open to a table of its own, and drops the old indices when no earlier hub runs', async () => {
    const url = await bare()
    const client = await connected(url)
    const migrations = readMigrations()
    await migrate(
      client,
      migrations.filter(({ version }) => version < OPEN_APART),
    )
    await client.query(
      `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at,
         queued_at, played_at)
       VALUES ('open', 1, 1, 1, 'queued', 1, '', 'vi', 9, 1, NULL), ('over', 1, 2, 2, 'played', 1, '', 'vi', 9, 1, 2)`,
    )
    await client.query(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms, key_ids, address)
       VALUES ('earlier', '', 1, '', 0, clock_ms() + 3600000, 0, '{}', '')`,
    )
    const old = async () => {
      const { rows } = await client.query<{ there: boolean }>(
        "SELECT to_regclass('announcements_open') IS NOT NULL AS there",
      )
      return rows[0]?.there
    }
    await open(url)
    expect(await old()).toBe(true)
    const { rows } = await client.query('SELECT * FROM open_announcements')
    expect(rows).toEqual([expect.objectContaining({ device_number: expect.anything() })])

    await client.query("DELETE FROM hubs WHERE id = 'earlier'")
    await open(url)
    expect(await old()).toBe(false)
    await open(url)
  })

  it('makes partitions of the tables that are there, without a row or an index written', async () => {
    const url = await bare()
    const client = await connected(url)
    await migrate(
      client,
      readMigrations().filter(({ version }) => version <= WHOLE),
    )
    await client.query(
      `INSERT INTO payments (number, id, client_id, store_id, dedupe_key, outcome, terminal_id, bank_code, bill_number,
         amount, paid_at, trace_transfer, ft_code, sealed, received_at)
       SELECT nextval('payments_number_seq'), i::text, 'c', 's', i::text, 'static_qr', 'T1', 'MB', '', 1, 1, '', i::text, '', 1
       FROM generate_series(1, 1000) i`,
    )
    await client.query(
      `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at, queued_at)
       SELECT i::text, 1, i, i, 'queued', 1, '', 'vi', 9, 1 FROM generate_series(1, 1000) i`,
    )
    const files = async () => {
      const { rows } = await client.query<{ file: number }>(
        `SELECT pg_relation_filenode(oid) AS file FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
           AND relname ~ '^(payments|announcements|events)(_(0|pkey|id_key|by_\\w+|missed|failed|expired|suppressed)|$)'`,
      )
      return rows.map(({ file }) => file).filter(Boolean)
    }
    const before = new Set(await files())
    expect(before.size).toBeGreaterThan(15)
    const storage = await open(url)
    const after = new Set(await files())
    expect([...before].filter((file) => !after.has(file))).toEqual([])
    const { rows } = await client.query(
      "SELECT nextval('payments_number_seq') > 1000 AS payments, nextval('announcements_number_seq') > 1000 AS announcements, (SELECT count(*)::integer FROM open_announcements) AS open",
    )
    expect(rows).toEqual([{ payments: true, announcements: true, open: 1000 }])
    expect(await storage.lists.payments.page({ minAmount: 2 }, { limit: 1 })).toMatchObject({ rows: [] })
  })

  it.each([
    ['an empty database', 'CREATE TABLE schema (version integer)'],
    ['a database with tables', LOCK_SCHEMA],
  ])('waits for another that migrates %s, longer than for a lock', async (_, act) => {
    const url = act === LOCK_SCHEMA ? await database() : await bare()
    const client = await connected(url)
    await client.query(`BEGIN; ${act}`)
    const opening = open(url)
    // Each attempt is a transaction of its own. A second one waits when the first has waited in vain.
    const attempts = new Set<string>()
    await until('a second attempt', async () => {
      const { rows } = await client.query<{ transaction: string }>(
        'SELECT virtualtransaction AS transaction FROM pg_locks WHERE NOT granted',
      )
      for (const { transaction } of rows) attempts.add(transaction)
      return attempts.size > 1
    })
    await client.query('ROLLBACK')
    expect(await (await opening).partners.list()).toEqual([])
  })

  it('is refused under another master key, and an address without a database, with a sentence', async () => {
    const url = await database()
    const vault = createVault(testMasterKey('another'))
    await expect(open(url, { vault })).rejects.toThrow(/The master key is not the one/)
    await expect(open(`${url}_none`)).rejects.toThrow(/can't be used \(database .* does not exist\): check/)
  })
})
