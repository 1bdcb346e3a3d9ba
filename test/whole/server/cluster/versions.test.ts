import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wakeChannels } from '../../../../server/cluster/postgres/wakeups/channels.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { migrate, readMigrations } from '../../../../server/storage/postgres/schema/migrate.ts'
import { placeOf } from '../../../../server/storage/shared/sealed-columns.ts'
import { createShop } from '../../../server/storage/shop.ts'
import { signedCallback } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner, registerOver } from '../../../support/http/partner-client.ts'
import { switchOn } from '../../../support/mqtt/speaker.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../support/processes/process.ts'
import { minted } from '../../../support/processes/shop.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { eventually, until } from '../../../support/wait.ts'

/*
 * Hubs of two releases on one database. This release plays the older one. The newer one is a schema that has more, and
 * what only a hub of that release would send.
 */

const postgres = await startTestPostgres()
const NEWER = 1_000
const TERMINAL = 'T-01'

/** A hub of this release with a speaker, and a connection that plays the newer release. */
async function older() {
  const url = (await postgres?.database()) ?? ''
  const envOf = () => hubEnv(temporaryFolder(), { HUB_DATABASE_URL: url, HUB_DRAIN_S: '0' })
  const env = envOf()
  const { partner, device } = await minted(env)
  const hub = await startHubProcess(env)
  const client = await connectPartner(() => hub.http, partner)
  // It connects again after an act of the hub that has failed.
  const speaker = switchOn(device, hub.mqtt, 1)
  await speaker.next('connected')
  await registerOver(client, device.serial, speaker.code)
  const newer = new Client(url)
  await newer.connect()
  onTestFinished(() => newer.end())
  const heard = () => speaker.all('announce').map(({ amount }) => amount)
  /** Pays as a processor does: again, until the answer is 200. */
  async function pay(number: number, at = client) {
    const callback = signedCallback(partner.clientSecret, {
      ...{ ftCode: `FT-${number}`, transactionAmount: String(number), payDate: new Date().toISOString() },
    })
    const statuses: number[] = []
    await until('the answer 200', async () => {
      statuses.push((await at.call('POST', '/payment/callback', callback)).status)
      return statuses.at(-1) === 200
    })
    expect([200, 503]).toEqual(expect.arrayContaining(statuses))
  }
  return { url, envOf, hub, partner, client, newer, heard, pay }
}

describe.skipIf(!postgres)('hubs of two releases', () => {
  it('share a database that the newer one expands under payments; an older one starts as long as it is allowed to', async () => {
    const { envOf, hub, partner, client, newer, heard, pay } = await older()
    const { rows: tables } = await newer.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
       AND relname <> 'schema' ORDER BY 1`,
    )
    let paid = 0
    const payNext = (at?: typeof client) => {
      paid += 1
      return pay(paid, at)
    }
    await payNext()
    const migrations = tables.map(({ name }, index) => ({
      version: NEWER + index,
      sql: `ALTER TABLE ${name} ADD COLUMN novelty text, ADD COLUMN level integer NOT NULL DEFAULT 0;
            CREATE INDEX ${name}_by_novelty ON ${name} (novelty);
            CREATE TABLE ${name}_news (id bigint PRIMARY KEY)`,
    }))
    for (const [index] of migrations.entries()) {
      const migrating = migrate(newer, [...readMigrations(), ...migrations.slice(0, index + 1)])
      await payNext()
      await migrating
      await payNext()
    }
    expect((await newer.query('SELECT version FROM schema')).rows).toEqual([
      { version: NEWER + tables.length - 1 },
    ])

    const second = await startHubProcess(envOf())
    const atSecond = await connectPartner(() => second.http, partner)
    await payNext(atSecond)
    await eventually(() =>
      expect(heard()).toEqual(Array.from({ length: paid }, (_, index) => String(index + 1))),
    )
    for (const command of [
      ['partner', 'list'],
      ['payment', 'list'],
      ['device', 'list'],
    ])
      expect(await runHub([...command, '--json'], envOf())).toMatchObject({ code: 0 })
    const errors = hub
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
    // PostgreSQL ends an act of a hub that stands still.
    expect(errors.filter((line) => !line.includes('"UNAVAILABLE"'))).toEqual([])

    await newer.query('UPDATE schema SET oldest_hub = $1', [NEWER])
    const refused = await start(process.execPath, ['server/main.ts'], envOf()).ended
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^The database has the schema 10\d\d, and this hub knows \d+: start the hub of the newer release\.\n$/,
    )
    await payNext(atSecond)
  })

  it('understand each other as far as they can: unknown wake-ups and messages are ignored, and the look each second finds what matters', async () => {
    const { url, hub, newer, heard, pay, partner } = await older()
    await pay(1)
    await until('the first payment', () => heard().length === 1)
    const { rows } = await newer.query<{ id: string; hub: string }>(
      'SELECT d.id, s.hub FROM devices d JOIN device_state s ON s.device_number = d.number',
    )
    const [device] = rows
    await newer.query(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms)
       VALUES ('newer', 'newer', 1, '99.0.0', 0, clock_ms() + 3600000, 0)`,
    )
    const vault = createVault(TEST_MASTER_KEY)
    for (const payload of [
      `newer firework ${device?.id}`,
      'newer',
      '{"v":2,"kind":"news"}',
      `newer news@2 ${device?.id}`,
    ])
      await newer.query('SELECT pg_notify($1, $2)', [wakeChannels(vault)[0], payload])
    for (const [id, message] of Object.entries({
      one: '{"kind":"firework","colour":"red"}',
      two: '{"kind":"clearCode","animated":true}',
      three: 'no JSON',
    }))
      await newer.query(
        `INSERT INTO hub_messages (id, hub, device_id, sealed, deadline)
         VALUES ($1, $2, $3, $4, clock_ms() + 60000)`,
        [id, device?.hub, device?.id, vault.seal(placeOf('hub_messages', id, 'sealed'), message)],
      )
    await eventually(async () => {
      const { rows: answers } = await newer.query('SELECT taken, answer FROM hub_messages ORDER BY number')
      expect(answers).toEqual([
        { taken: true, answer: null },
        { taken: true, answer: { kind: 'done' } },
        { taken: true, answer: null },
      ])
    })

    // A payment at a hub whose wake-ups this one does not understand.
    const storage = await postgres?.open(url, { hub: 'newer' })
    if (!storage) throw new Error('there is no PostgreSQL')
    const change = { terminalID: TERMINAL, amount: '2', receivedAt: Date.now() }
    expect(await createShop(storage).pay(partner.clientId, change)).toMatchObject({ kind: 'recorded' })
    await until('the second payment', () => heard().length === 2)
    expect(heard()).toEqual(['1', '2'])
    expect((await fetch(`${hub.admin}/readyz`)).status).toBe(200)
  })
})
