import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../server/announcements/announcement.ts'
import { IMPORTED } from '../../../../server/storage/postgres/import/tables.ts'
import { openDataFolder } from '../../../../server/storage/sqlite/file/data-folder.ts'
import { lockForOneHub } from '../../../../server/storage/sqlite/file/hub-lock.ts'
import { AT, createShop, payWell } from '../../../server/storage/shop.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, runHub, start } from '../../../support/processes/process.ts'
import { testMasterKey } from '../../../support/storage.ts'
import { eventually, until } from '../../../support/wait.ts'
import { answers, answersThere, filledFolder } from './filled-folder.ts'

const postgres = await startTestPostgres()

const LATER = AT + 2 * ANNOUNCEMENT_FRESH_MS
/** Their rows are in other tables, or nobody needs them. */
const NOT_COPIED = [
  'console_links',
  'console_sessions',
  'payment_digests',
  'payment_sums',
  'payment_sums_open',
  'payment_sums_state',
  'store_words',
  'store_names_due',
  'vault_canary',
  'revisions',
  'store_totals_recent',
  'device_numbers',
  'device_numbers_recent',
]

async function connect(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe.skipIf(!postgres)('hub import', () => {
  const envOn = (url: string, changes: Record<string, string> = {}) =>
    hubEnv(temporaryFolder(), { HUB_DATABASE_URL: url, ...changes })
  const empty = async () => (await postgres?.database()) ?? ''
  const importing = (folder: string, env: Record<string, string>) =>
    runHub(['import', '--from', folder, '--json'], env)
  const reopened = async (url: string) => {
    const storage = await postgres?.open(url)
    if (!storage) throw new Error('there is no PostgreSQL')
    return storage
  }

  it('brings every row of a folder to PostgreSQL, where the ports give the same answers and numbers go on', async () => {
    const filled = await filledFolder()
    const { folder, clientId, devices } = filled
    const before = readFileSync(join(folder, 'hub.db'))
    const url = (await postgres?.bare()) ?? ''
    const done = await importing(folder, envOn(url))
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(folder, 'hub.db'))).toEqual(before)

    const { state, rows, added, amount } = Object(done.json)
    expect([state, added]).toEqual(['imported', rows])
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([])
    expect([rows.payments, rows.payment_keys, amount]).toEqual([8, 9, '400000'])
    const sqlite = new Database(join(folder, 'hub.db'), { readonly: true })
    onTestFinished(() => void sqlite.close())
    const tables = sqlite
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
      )
      .pluck()
    const imported = IMPORTED.map(({ name }) => name)
    expect([...imported, ...NOT_COPIED]).toEqual(expect.arrayContaining(tables.all()))

    const storage = await reopened(url)
    const there = await answersThere(filled)
    expect(await answers(storage, filled)).toEqual(there)
    expect(
      there.payments.rows.flatMap(({ announcements }) => announcements.map(({ stage }) => stage)).sort(),
    ).toEqual(['delivered', 'expired', 'failed', 'played', 'queued', 'received', 'sent', 'suppressed'])
    expect(await storage.audit.list({ limit: 1 })).toMatchObject([
      {
        action: 'database.import',
        subject: folder,
        actorKind: 'operator',
        details: { payments: 8, devices: 4 },
      },
    ])

    // Copied rows have brought their events, and make none.
    expect(await storage.events.number(1_000)).toBe(0)
    const shop = createShop(storage)
    expect((await shop.pay(clientId, { ftCode: 'FT5' })).kind).toBe('replayed')
    // One that retention has deleted is known as itself, and as no payment that has its number now.
    expect(await storage.payments.findByFtCode(clientId, 'FT-old')).toBeUndefined()
    const old = { ftCode: 'FT-old', receivedAt: AT - 48 * 60 * 60_000 }
    expect((await shop.pay(clientId, old)).kind).toBe('replayed')
    const highest = there.devices[0]?.highest ?? 0
    const { announcements } = await payWell(shop, clientId, { ftCode: 'later', receivedAt: LATER })
    expect(announcements.map(({ n }) => n)).toEqual([highest + 1])
    expect(await storage.events.number(1_000)).toBeGreaterThan(0)
    const { events } = await storage.events.page(clientId, { after: there.events.next, limit: 100 })
    expect(events.map(({ type }) => type)).toContain('payment.recorded')
    await shop.speaker(clientId, 'T3')
    expect(devices).toHaveLength(4)
    expect((await storage.devices.list()).length).toBe(5)
  })

  it('goes on where kill -9 has ended it, and no hub starts in between', async () => {
    const filled = await filledFolder()
    const url = await empty()
    const env = envOn(url)
    const client = await connect(url)
    // The import that is killed waits for its lock until then.
    const patient = { ...env, HUB_DATABASE_URL: `${url}${PATIENT}` }
    const count = async (table: string) => {
      const { rows } = await client.query(`SELECT count(*)::integer AS count FROM ${table}`)
      return rows[0]?.count
    }
    const isBlocked = async () => {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return rows.length > 0
    }
    /** Kills an import at the statement that waits for the lock. */
    async function killedAt(lock: string) {
      const blocker = await connect(url)
      await blocker.query(`BEGIN; ${lock}`)
      const { child, ended } = start(
        process.execPath,
        ['server/operate/cli/main.ts', 'import', '--from', filled.folder],
        patient,
      )
      await until('the import waits', isBlocked)
      expect(() => lockForOneHub(openDataFolder(filled.folder).lockFile)).toThrow(/in use by .*import.*pid/)
      child.kill('SIGKILL')
      expect((await ended).code).toBe(null)
      await blocker.query('ROLLBACK')
      await eventually(async () => expect(await isBlocked()).toBe(false))
    }

    await killedAt('LOCK TABLE payments IN EXCLUSIVE MODE')
    expect([await count('devices'), await count('payments')]).toEqual([4, 0])
    const hub = await start(process.execPath, ['server/main.ts'], env).ended
    expect(hub).toMatchObject({ code: 1, stdout: '' })
    expect(hub.stderr).toMatch(/^An import into the PostgreSQL database is unfinished: .*\.\n$/)
    expect((await runHub(['partner', 'list'], env)).stderr).toMatch(/^An import .* is unfinished/)

    const other = await filledFolder()
    expect((await importing(other.folder, env)).stderr).toMatch(
      /^The database has the unfinished import of another/,
    )

    // Another row of the second page keeps that page from its commit.
    await killedAt(
      `INSERT INTO audit (id, at, actor_kind, actor, action, subject, details) OVERRIDING SYSTEM VALUE
       VALUES (1500, 0, 'hub', 'hub', 'device.add', '', '{}')`,
    )
    expect([await count('payments'), await count('audit')]).toEqual([8, 1_000])

    const ended = { code: 0, stderr: '' }
    expect(await importing(filled.folder, env)).toMatchObject({ ...ended, json: { state: 'imported' } })
    expect(await importing(filled.folder, env)).toMatchObject({ ...ended, json: { state: 'known' } })
    expect(await answers(await reopened(url), filled)).toEqual(await answersThere(filled))
  })

  it.each([
    {
      what: 'is not the same on both sides',
      trigger: 'BEFORE INSERT ON bills',
      act: 'new.amount = new.amount + 1;',
      said: /^The table bills differs \(2 rows in the folder, 2 in PostgreSQL\): .*\.\n$/,
    },
    {
      what: 'the folder does not have',
      trigger: 'AFTER INSERT ON bills',
      act: "INSERT INTO partners (client_id, name, created_at) VALUES (new.id, 'Other', 1);",
      said: /^The table partners differs \(2 rows in the folder, 4 in PostgreSQL\): .*\.\n$/,
    },
  ])('finds a row that $what, and stays unfinished', async ({ trigger, act, said }) => {
    const filled = await filledFolder()
    const url = await empty()
    const env = envOn(url)
    const client = await connect(url)
    await client.query(
      `CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${act} RETURN new; END $$;
       CREATE TRIGGER bends ${trigger} FOR EACH ROW EXECUTE FUNCTION bend()`,
    )
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { code, stderr } = await importing(filled.folder, env)
      expect(code).toBe(1)
      expect(stderr).toMatch(said)
    }
    expect((await runHub(['partner', 'list'], env)).stderr).toMatch(/is unfinished/)
  })

  it('refuses while a hub runs on either side', async () => {
    const { folder } = await filledFolder()
    const url = await empty()
    const release = lockForOneHub(openDataFolder(folder).lockFile)
    expect((await importing(folder, envOn(url))).stderr).toMatch(
      /^A hub is running on this data folder \(.*, pid \d+\): /,
    )
    release()
    // A hub that goes on beating.
    await (await connect(url)).query(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms)
       VALUES ('hub', 'there', 7, '1.2.3', 0, clock_ms() + 3600000, 0)`,
    )
    const refused = await importing(folder, envOn(url))
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^A hub runs on the PostgreSQL database \(there process 7.*\): /)
  })

  it('refuses another key, rows that it has not brought, a folder without database, and settings without PostgreSQL', async () => {
    const { folder } = await filledFolder()
    const url = (await postgres?.bare()) ?? ''
    const another = { HUB_MASTER_KEY: testMasterKey('another').toString('base64') }
    expect((await importing(folder, envOn(url, another))).stderr).toMatch(
      /^The folder .* is sealed under another master key than HUB_MASTER_KEY: /,
    )
    const full = await empty()
    expect((await runHub(['partner', 'create', '--name', 'Acme'], envOn(full))).code).toBe(0)
    expect((await importing(folder, envOn(full))).stderr).toMatch(
      /^The PostgreSQL database has rows already \(partners\)/,
    )
    const none = temporaryFolder()
    expect((await importing(none, envOn(url))).stderr).toMatch(/^There is no database in /)
    expect(existsSync(join(none, 'hub.lock'))).toBe(false)
    expect((await importing(folder, hubEnv(temporaryFolder()))).stderr).toMatch(
      /^HUB_DATABASE_URL is not set: /,
    )
    expect((await runHub(['import'], envOn(url))).code).toBe(2)
  })
})
