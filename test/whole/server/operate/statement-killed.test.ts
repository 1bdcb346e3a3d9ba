import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPartner } from '../../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { IMPORT_DIES_MS, ROWS_PER_COMMIT } from '../../../../server/reconciliation/ports.ts'
import { createVault } from '../../../../server/security/vault.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { createShop, payWell } from '../../../server/storage/shop.ts'
import { ACCOUNT } from '../../../server/storage/statement-world.ts'
import { postgresTables, sqliteTables, type TableHashes } from '../../../server/storage/tables.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { accessTokenOf } from '../../../support/http/access-token.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, startHubProcess } from '../../../support/processes/process.ts'
import { cedar, type Movement } from '../../../support/statements/banks.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { until } from '../../../support/wait.ts'
import { type Fault, openFaultyWay } from './statement-fault.ts'

const postgres = await startTestPostgres()

/** More than two commits. */
const ROWS = 2 * ROWS_PER_COMMIT + 100
const CODES = ['FT2632400001', 'FT2632400002', 'FT2632400003']

/** A partner with payments and an unpaid bill, and the statement of their bank, which has other rows, too. */
async function fill(storage: Storage) {
  const shop = createShop(storage)
  const deps = { by: OPERATOR, partners: storage.partners, clock: systemClock, ids: shop.ids }
  const partner = await createPartner(deps, 'Acme')
  const { clientId } = partner
  const { storeId, serial } = await shop.speaker(clientId)
  // A locked speaker has nothing to say: the hub changes nothing of its announcements.
  await storage.devices.setActive(OPERATOR, serial, false, Date.now())
  const at = Date.now()
  await storage.bills.put(clientId, shop.bill(storeId), at)
  for (const ftCode of CODES) await payWell(shop, clientId, { ftCode, receivedAt: at, paidAt: at })
  const movements = Array.from(
    { length: ROWS },
    (_, n): Movement => ({
      at,
      amount: 50_000,
      direction: 'credit',
      reference: CODES[n] ?? `X${n}`,
      text: '',
    }),
  )
  return { partner, file: cedar(ACCOUNT).write(movements, 0) }
}

/** A database that can be looked at and changed past the hub. */
interface Ground {
  env: Record<string, string>
  run(sql: string): Promise<Record<string, unknown>[]>
  tables(): Promise<TableHashes>
}

/** What the killed import may not have touched. */
async function hashes({ tables }: Ground) {
  const all = Object.entries(await tables())
  const found = Object.fromEntries(
    all.filter(([name]) => /^(payments|bills|announcements|store_totals)/.test(name)),
  )
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(4)
  return found
}

async function partnerAt(http: string, { partner, file }: Awaited<ReturnType<typeof fill>>) {
  const token = await accessTokenOf(http, partner)
  const call = async (method: string, path: string, body?: Buffer<ArrayBuffer>) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/xml' }
    const answer = await fetch(`${http}/api/v1/partner${path}`, { method, headers, ...(body && { body }) })
    return { status: answer.status, body: Object(await answer.json()) }
  }
  return {
    get: (path: string) => call('GET', path),
    import: () => call('POST', '/statement', Buffer.from(file)),
  }
}

/** After the kill: a hub has nothing of the statement, and takes the file as a new one. */
async function expectNothingHalf(
  ground: Ground,
  filled: Awaited<ReturnType<typeof fill>>,
  before: TableHashes,
) {
  const { run, env } = ground
  const [left] = await run('SELECT id, state, from_date FROM statements')
  expect(left?.state).toBe('importing')
  const hub = await startHubProcess(env)
  const partner = await partnerAt(hub.http, filled)
  expect((await partner.get('/statement')).body).toEqual({ data: [], next: null })
  for (const path of [`/statement/${left?.id}`, `/statement/${left?.id}/rows`])
    expect([path, (await partner.get(path)).status]).toEqual([path, 404])
  const day = await partner.get(`/payment/reconciliation?date=${left?.from_date}&account=${ACCOUNT}`)
  expect(day.body.data[0]).toMatchObject({ statements: [], hub: { hub_only: { count: CODES.length } } })
  expect(await hashes(ground)).toEqual(before)

  // Later than it takes an import to die. In the middle the next import comes sooner, and waits for that.
  const [{ count: stored } = {}] = await run('SELECT count(*) AS count FROM statement_rows')
  if (Number(stored) === 0 || Number(stored) === ROWS)
    await run(`UPDATE statements SET touched_at = touched_at - ${IMPORT_DIES_MS + 1_000}`)
  const imported = await partner.import()
  expect(imported).toMatchObject({
    status: 201,
    body: { rows: ROWS, bank: { matched: { count: CODES.length } } },
  })
  const { id } = imported.body
  expect(await partner.import()).toMatchObject({
    status: 409,
    body: { error: 'STATEMENT_KNOWN', details: [{ issue: id }] },
  })
  expect((await partner.get('/statement')).body.data.map((one: { id: string }) => one.id)).toEqual([id])
  const rows = await run(
    'SELECT statement_id AS id, count(*) AS count FROM statement_rows GROUP BY statement_id',
  )
  expect(rows.map((one) => [one.id, Number(one.count)])).toEqual([[id, ROWS]])
  expect(await run('SELECT id FROM statements')).toEqual([{ id }])
  expect(await run("SELECT subject FROM audit WHERE action = 'statement.import'")).toEqual([{ subject: id }])
  expect(await hashes(ground)).toEqual(before)
}

/** Where an import on SQLite stops, and how many rows are stored then. */
const STOPS: [what: string, at: string, stored: number][] = [
  ['before its first row', 'INSERT ON statement_rows WHEN NEW.n = 1', 0],
  [
    'between two commits of rows',
    `INSERT ON statement_rows WHEN NEW.n > ${2 * ROWS_PER_COMMIT}`,
    2 * ROWS_PER_COMMIT,
  ],
  ['before its end', "UPDATE ON statements WHEN NEW.state = 'open'", ROWS],
]

/** A statement that has no end. */
const ENDLESS =
  'SELECT count(*) FROM (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n FROM n)'

describe('an import of a statement whose hub is killed', () => {
  it.each(STOPS)('leaves nothing on SQLite %s', async (_, at, stored) => {
    const folder = temporaryFolder()
    const file = join(folder, 'hub.db')
    layDatabase(file)
    const storage = openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY) }))
    const filled = await fill(storage)
    storage.close()
    async function run(sql: string) {
      const sqlite = new Database(file)
      try {
        const statement = sqlite.prepare<[], Record<string, unknown>>(sql)
        if (statement.reader) return statement.all()
        statement.run()
        return []
      } finally {
        sqlite.close()
      }
    }
    const ground = { env: hubEnv(folder), run, tables: () => sqliteTables(file) }
    const before = await hashes(ground)
    await run(`CREATE TRIGGER endless BEFORE ${at} BEGIN ${ENDLESS}; END`)
    const hub = await startHubProcess(ground.env)
    const answer = (await partnerAt(hub.http, filled)).import()
    const lost = expect(answer).rejects.toThrow()
    await until('the rows before the kill', async () => {
      const [now] = await run(
        'SELECT count(*) AS imports, (SELECT count(*) FROM statement_rows) AS stored FROM statements',
      )
      return now?.imports === 1 && now.stored === stored
    })
    hub.child.kill('SIGKILL')
    await hub.ended
    await lost
    await run('DROP TRIGGER endless')
    await expectNothingHalf(ground, filled, before)
  })

  it.skipIf(!postgres).each<Fault & { what: string }>([
    { what: 'before its first row', statement: 'statements.addRows', when: 'unsent' },
    {
      what: 'between two commits of rows',
      ...{ statement: 'statements.addRows', when: 'unsent', behind: 'statements.addRows' },
    },
    { what: 'before the commit of its end', statement: 'statements.finish', when: 'answered' },
  ])('leaves nothing on PostgreSQL $what', async ({ what: _, ...fault }) => {
    if (!postgres) return
    const url = await postgres.database()
    const storage = await postgres.open(url)
    const filled = await fill(storage)
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const ground = {
      env: hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `${url}${PATIENT}` }),
      run: async (sql: string) => (await client.query(sql)).rows,
      tables: () => postgresTables(url),
    }
    const before = await hashes(ground)
    const way = await openFaultyWay(`${url}${PATIENT}`, fault, () => void hub.child.kill('SIGKILL'))
    const hub = await startHubProcess({ ...ground.env, HUB_DATABASE_URL: way.url })
    await expect((await partnerAt(hub.http, filled)).import()).rejects.toThrow()
    expect(way.isCut()).toBe(true)
    await hub.ended
    way.close()
    await expectNothingHalf(ground, filled, before)
  })
})
