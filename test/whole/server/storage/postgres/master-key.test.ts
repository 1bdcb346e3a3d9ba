import { Client } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../../../server/platform/clock.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import { openDatabase } from '../../../../../server/storage/postgres/engine/database.ts'
import { importFolder } from '../../../../../server/storage/postgres/import/import.ts'
import { RESEALED } from '../../../../../server/storage/postgres/master-key/reseal.ts'
import { rotateOnline } from '../../../../../server/storage/postgres/master-key/rotation.ts'
import { masterKeyStatus } from '../../../../../server/storage/postgres/master-key/status.ts'
import { connectToLook } from '../../../../../server/storage/sqlite/engine/database.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { AT, createShop, hashOf } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { TEST_MASTER_KEY, testMasterKey } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'
import { answers, filledFolder } from '../../operate/filled-folder.ts'

const postgres = await startTestPostgres()

const [FIRST, SECOND, THIRD] = [TEST_MASTER_KEY, testMasterKey('the second'), testMasterKey('the third')]
const [FIRST_ID = '', SECOND_ID = ''] = createVault(FIRST, SECOND).keyIds

function rotate(url: string, keys: [Buffer, ...Buffer[]] = [FIRST, SECOND], onBatch = () => {}) {
  const [next = ''] = createVault(keys[1] ?? keys[0]).keyIds
  return rotateOnline(`${url}${PATIENT}`, createVault(...keys), {
    ...{ next, by: OPERATOR, clock: systemClock, onBatch, settledMs: 0 },
  })
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** A database with rows in all tables, sealed under the first key. */
async function filledDatabase({ bare }: TestPostgres) {
  const filled = await filledFolder()
  const url = await bare()
  const sqlite = connectToLook(openDataFolder(filled.folder).databaseFile, () => undefined)
  onTestFinished(() => void sqlite.close())
  await importFolder(`${url}${PATIENT}`, sqlite, {
    ...{ from: 'the folder', vault: createVault(FIRST), by: OPERATOR },
    progress: () => undefined,
  })
  return { filled, url }
}

describe.skipIf(!postgres)('an online change of the master key', () => {
  if (!postgres) return
  const { database, open } = postgres
  const under = (url: string, ...keys: [Buffer, ...Buffer[]]) => open(url, { vault: createVault(...keys) })

  it('seals every value anew, beside a hub that reads and writes, and the earlier key opens nothing afterwards', async () => {
    const { filled, url } = await filledDatabase(postgres)
    const hub = await under(url, FIRST, SECOND)
    const before = await answers(hub, filled)
    const done = await rotate(url)
    expect(done).toMatchObject({ rotated: true, keyId: SECOND_ID, previousKeyId: FIRST_ID })
    expect(Object.entries(done.resealed).filter(([, rows]) => rows === 0)).toEqual([])

    const { rows } = await (await connect(url)).query('SELECT oldest_hub FROM schema')
    expect(rows).toEqual([{ oldest_hub: 7 }])
    const status = await masterKeyStatus(url, createVault(SECOND))
    expect(status).toMatchObject({ inForce: SECOND_ID, previous: [] })
    expect(Object.values(status.values).map(Object.keys)).toEqual(RESEALED.map(() => [SECOND_ID]))

    const without = ({ audit, ...all }: typeof before) => all
    for (const storage of [hub, await under(url, SECOND)]) {
      const after = await answers(storage, filled)
      expect(without(after)).toEqual(without(before))
      expect(
        after.audit.slice(0, 2).map(({ action, details, actor }) => [action, details.step, actor]),
      ).toEqual([
        ['master-key.rotate', 'ended', 'lan'],
        ['master-key.rotate', 'begun', 'lan'],
      ])
    }
    const shop = createShop(await under(url, SECOND))
    expect((await shop.pay(filled.clientId, { ftCode: 'FT5' })).kind).toBe('replayed')
    await expect(open(url)).rejects.toThrow(/The master key is not the one/)
    expect(await rotate(url)).toMatchObject({ rotated: false, keyId: SECOND_ID })
    await expect(rotate(url, [SECOND, FIRST])).rejects.toThrow(/is an earlier master key of this database/)
  })

  it('finds the user of a phone number whose hash is under either key, and stores none twice', async () => {
    const url = await database()
    const [first, second] = [await under(url, FIRST, SECOND), await under(url, FIRST, SECOND)]
    const shop = createShop(first)
    const clientId = await shop.partner()
    await shop.speaker(clientId, 'T1')
    const other = await connect(url)
    const users = async () => (await other.query('SELECT phone_hash FROM users')).rows
    // A locked user keeps its hash, until the last registration is done.
    await other.query('BEGIN; SELECT FROM users FOR NO KEY UPDATE')
    let isBegun = false
    const rotating = rotate(url, [FIRST, SECOND], () => {
      isBegun = true
    })
    await until('the change of the key', () => isBegun)
    for (const hub of [first, second]) await createShop(hub).speaker(clientId, 'T1')
    expect(await users()).toHaveLength(1)
    await other.query('COMMIT')
    expect(await rotating).toMatchObject({ resealed: { users: 1 } })
    await createShop(second).speaker(clientId, 'T2')
    expect(await users()).toHaveLength(1)
  })

  it('waits for no row that a payment holds, and ends when it is free', async () => {
    const url = await database()
    const hub = await under(url, FIRST, SECOND)
    const shop = createShop(hub)
    const clientId = await shop.partner()
    const { storeId } = await shop.speaker(clientId)
    await hub.bills.put(clientId, shop.bill(storeId), AT)
    const other = await connect(url)
    await other.query('BEGIN; SELECT FROM bills FOR UPDATE')
    let passes = 0
    const rotating = rotate(url, [FIRST, SECOND], () => {
      passes += 1
    })
    await until('more than one pass', () => passes > 20)
    const status = await masterKeyStatus(url, createVault(FIRST, SECOND))
    expect(status.previous).toMatchObject([{ id: FIRST_ID }])
    expect([status.values.bills, status.values.stores]).toEqual([{ [FIRST_ID]: 1 }, { [SECOND_ID]: 6 }])

    // What changes meanwhile keeps its new content.
    await other.query('UPDATE bills SET qrcode = qrcode, amount = amount + 1; COMMIT')
    expect(await rotating).toMatchObject({ rotated: true })
    expect((await masterKeyStatus(url, createVault(SECOND))).values.bills).toEqual({ [SECOND_ID]: 1 })
    expect((await other.query('SELECT amount FROM bills')).rows).toEqual([{ amount: '50001' }])
  })

  it('lets no hub start without a key that a row may need, and changes nothing under a wrong one', async () => {
    const url = await database()
    const client = await connect(url)
    const shop = createShop(await under(url, FIRST, SECOND))
    await shop.partner()
    await client.query('BEGIN; SELECT FROM partner_secrets FOR UPDATE')
    const rotating = rotate(url)
    rotating.catch(() => undefined)
    await until('the change of the key', async () => {
      const { rows } = await client.query('SELECT id FROM previous_master_keys')
      return rows.length === 1
    })
    await expect(under(url, FIRST)).rejects.toThrow(/The master key is not the one/)
    await expect(under(url, SECOND)).rejects.toThrow(
      new RegExp(`still be sealed under the previous master key \\(${FIRST_ID}\\): set HUB_NEXT_MASTER_KEY`),
    )
    await expect(rotate(url, [SECOND])).rejects.toThrow(/previous master key/)
    await client.query('COMMIT')
    await rotating

    await client.query('ALTER TABLE hubs DROP COLUMN key_ids CASCADE; DROP TABLE previous_master_keys')
    await client.query('UPDATE schema SET version = 4')
    for (const key of [FIRST, THIRD])
      await expect(under(url, key)).rejects.toThrow(/The master key is not the one/)
    expect((await client.query('SELECT version FROM schema')).rows).toEqual([{ version: 4 }])
  })

  it('is refused while a hub that runs does not have the next key', async () => {
    const url = await database()
    const client = await connect(url)
    const beat = (id: string, keyIds: string[] | null) =>
      client.query(
        `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms, key_ids)
         VALUES ($1, 'hub-' || $1, 7, '1.0.0', 0, clock_ms() + 600000, 0, $2)`,
        [id, keyIds],
      )
    await beat('both', [FIRST_ID, SECOND_ID])
    await beat('one', [FIRST_ID])
    await expect(rotate(url)).rejects.toThrow(
      /^1 of the running hubs lack the key of HUB_NEXT_MASTER_KEY \(the first: hub-one process 7, version 1.0.0\)/,
    )
    await client.query("DELETE FROM hubs WHERE id = 'one'")
    await beat('before', null)
    await expect(rotate(url)).rejects.toThrow(/hub-before/)
    expect((await masterKeyStatus(url, createVault(FIRST))).inForce).toBe(FIRST_ID)
    await client.query("DELETE FROM hubs WHERE id = 'before'")
    expect(await rotate(url)).toMatchObject({ rotated: true })
  })

  it('names the place of a damaged value, and goes on when it is mended', async () => {
    const url = await database()
    const client = await connect(url)
    const shop = createShop(await under(url, FIRST, SECOND))
    const { serial } = await shop.device()
    const { rows } = await client.query<{ key: Buffer }>('SELECT key FROM devices')
    const damage = (key: Buffer | undefined) => client.query('UPDATE devices SET key = $1', [key])
    await damage(Buffer.concat([rows[0]?.key ?? Buffer.alloc(0), Buffer.alloc(1)]))
    await expect(rotate(url)).rejects.toThrow(/^The value at devices\/.*\/key does not open .*damaged/)
    await damage(rows[0]?.key)
    expect(await rotate(url)).toMatchObject({ rotated: true })
    expect(await (await under(url, SECOND)).devices.credentials(serial)).toMatchObject({ serial })
  })
})

describe.skipIf(!postgres)('a hub that has slept through a change of the master key', () => {
  if (!postgres) return
  const { database, open } = postgres

  it('seals under the key in force, and nothing without it', async () => {
    const url = await database()
    const both = await open(url, { vault: createVault(FIRST, SECOND) })
    const one = await open(url)
    const shop = createShop(both)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    const client = await connect(url)
    await client.query('DELETE FROM hubs')
    await rotate(url)
    const keep = (storage: typeof both, key: string) => {
      const kept = { request: hashOf(key), outcome: { kind: 'done', status: 200, body: key } as const }
      return storage.idempotency.keep(hashOf(key), kept, AT, AT + 1)
    }
    // Both ask within a second which key is in force.
    await until('the second key at the first hub', async () => {
      await keep(both, 'known')
      await client.query("DELETE FROM idempotency_keys WHERE substr(sealed, 2, 4) = decode($1, 'hex')", [
        FIRST_ID,
      ])
      return (await client.query('SELECT FROM idempotency_keys')).rowCount === 1
    })
    await until('the refusal of the second hub', () =>
      keep(one, 'unknown').then(
        () => false,
        (error: unknown) => Object(error).kind === 'UNAVAILABLE',
      ),
    )
    await expect(one.ping()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await expect(one.idempotency.find(hashOf('known'), AT)).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await both.ping()
  })

  it('asks for the key in force, and runs a write again that has slept in the middle', async () => {
    const vault = createVault(FIRST)
    const { write, close, ...opened } = await openDatabase(`${await database()}${PATIENT}`, vault)
    onTestFinished(close)
    const now = performance.now.bind(performance)
    let [sleptMs, runs] = [0, 0]
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + sleptMs)
    onTestFinished(() => spy.mockRestore())
    const sealed = await write(async (tx) => {
      runs += 1
      await tx.query('read', 'SELECT')
      sleptMs = 10_000
      return opened.vault.seal('place', 'plain')
    })
    expect([runs, String(vault.open('place', sealed))]).toEqual([2, 'plain'])
  })
})
