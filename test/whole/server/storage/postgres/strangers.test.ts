import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { joinCluster } from '../../../../../server/cluster/postgres/cluster.ts'
import { systemClock } from '../../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../../server/platform/ids.ts'
import { createLog } from '../../../../../server/platform/log.ts'
import { byPartner } from '../../../../../server/security/actor.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import { reportServer } from '../../../../../server/storage/postgres/engine/server-report.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

/* Another role of the same PostgreSQL, which has no rights but those of PUBLIC. */

const DENIED = { code: '42501' }

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('another role of the same server', () => {
  if (!postgres) return
  const { bare, database, open } = postgres

  async function connected(url: string) {
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  async function stranger(url: string) {
    const admin = await connected(url)
    await admin.query("DO 'BEGIN CREATE ROLE stranger LOGIN; EXCEPTION WHEN duplicate_object THEN END'")
    return connected(url.replace('postgres@', 'stranger@'))
  }

  it('can not hold up a start or a login by a lock whose key it guesses', async () => {
    const url = await database()
    const other = await stranger(url)
    const clientId = 'acme'
    // What a release took for a migration, for an import, and to count logins.
    await other.query(`SELECT pg_advisory_lock(${0x73626862}), pg_advisory_lock(${0x7362696d})`)
    await other.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`token.start ${clientId}`])
    await expect(other.query('BEGIN; LOCK TABLE schema IN ACCESS SHARE MODE')).rejects.toMatchObject(DENIED)
    await other.query('ROLLBACK')
    const storage = await open(`${url}?lock_timeout=1500`)
    const now = systemClock.now()
    await storage.partners.create(
      OPERATOR,
      { clientId, name: 'Acme', createdAt: now, disabledAt: undefined },
      'secret',
    )
    const logIn = (id: string) =>
      storage.tokens.start(
        byPartner(clientId),
        { id, clientId, expiresAt: now + 1_000 },
        {
          accessHash: Buffer.from(`${id} access`),
          refreshHash: Buffer.from(`${id} refresh`),
          accessExpiresAt: now + 1_000,
        },
        now,
      )
    await Promise.all(['a', 'b', 'c', 'd'].map(logIn))
    const logins = (await storage.audit.list({ action: 'token.start', limit: 10 })).map(
      ({ details }) => details,
    )
    expect(logins).toEqual([{ count: 4 }])
  })

  it('neither hears which devices are woken, nor wakes any', async () => {
    const url = await database()
    const other = await stranger(url)
    const overheard: string[] = []
    other.on('notification', ({ channel }) => void overheard.push(channel))
    await other.query('LISTEN soundbox_hubs')
    const counted: string[] = []
    async function hub(name: string) {
      const ids = createRandomIds()
      const cluster = await joinCluster(url, {
        ...{ hub: name, version: '0', vault: createVault(TEST_MASTER_KEY), ids, clock: systemClock },
        ...{ log: createLog('silent'), count: (kind, way) => void counted.push(`${name} ${way} ${kind}`) },
      })
      onTestFinished(cluster.leave)
      return cluster
    }
    await open(url)
    const [first] = [await hub('first'), await hub('second')]
    await other.query("SELECT pg_notify('soundbox_hubs', 'third everything')")
    first.wakeups.wake('news', ['device'])
    await until('the wake-up', () => counted.includes('second heard news'))
    await until('its own', () => overheard.length > 0)
    expect(counted.filter((one) => one.includes('heard'))).toEqual(['second heard news'])
    expect(overheard).toEqual(['soundbox_hubs'])
  })

  it('may not connect to a database that is set up as docs/scale.md says', async () => {
    const url = await bare()
    const admin = await connected(url)
    const page = readFileSync(new URL('../../../../../docs/scale.md', import.meta.url), 'utf8')
    const name = new URL(url).pathname.slice(1)
    const role = `owner_of_${name}`
    const [made = '', owned = ''] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) =>
      // The names of the page belong to the whole server.
      sql
        .replaceAll(/\bROLE hub\b|\bOWNER hub\b|\bTO hub\b/g, (found) => found.replace('hub', role))
        .replaceAll(/\bDATABASE hub\b/g, `DATABASE ${name}_of_hubs`),
    )
    for (const statement of made.split(';').filter((one) => one.trim() !== '')) await admin.query(statement)
    const ownUrl = `${url}_of_hubs`
    const inside = new Client(ownUrl)
    await inside.connect()
    await inside.query(owned)
    await inside.end()
    await stranger(url)
    const outside = new Client(ownUrl.replace('postgres@', 'stranger@'))
    await expect(outside.connect()).rejects.toMatchObject(DENIED)

    const storage = await open(ownUrl.replace('postgres@', `${role}@`))
    expect(await storage.partners.list()).toEqual([])
    expect((await reportServer(ownUrl.replace('postgres@', `${role}@`), systemClock.now)).isForAll).toBe(
      false,
    )
    await open(url)
    expect((await reportServer(url, systemClock.now)).isForAll).toBe(true)
    await storage.close()
    await admin.query(`DROP DATABASE ${name}_of_hubs WITH (FORCE)`)
    await admin.query(`DROP ROLE ${role}`)
  })
})
