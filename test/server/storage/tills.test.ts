import { isDeepStrictEqual } from 'node:util'
import { type Column, getTableColumns } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Vault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { deviceStores, devices, stores } from '../../../server/storage/sqlite/schema/schema.ts'
import { placeOf, SEALED } from '../../../server/storage/sqlite/schema/sealed-columns.ts'
import { createPorts, keptOf } from '../../../server/storage/sqlite/storage.ts'
import { keptTill, told } from './kept-till.ts'
import { AT, bornWith, createShop, hashOf, type LinkedSpeaker } from './shop.ts'

interface Scene {
  clientId: string
  speaker: LinkedSpeaker
}

/** Acts that change what a payment needs of its till, and what it then says. */
const CHANGES: {
  what: string
  change: (storage: Storage, scene: Scene) => Promise<unknown>
  says: (scene: Scene) => unknown
}[] = [
  {
    what: 'a store that has another account',
    change: ({ stores }, { clientId, speaker }) =>
      stores.update(clientId, speaker.storeId, { bankAccountNumber: '4242' }, AT),
    says: () => ({ bankAccountNumber: '4242', bankAccountName: 'NGUYEN THI HA' }),
  },
  {
    what: 'a store that has another terminal',
    change: ({ stores }, { clientId, speaker }) =>
      stores.update(clientId, speaker.storeId, { terminalID: 'T2' }, AT),
    says: () => 'store_not_found',
  },
  {
    what: 'another store that has its terminal',
    async change(storage, { clientId, speaker }) {
      await storage.stores.update(clientId, speaker.storeId, { terminalID: 'T2' }, AT)
      await createShop(storage).speaker(clientId, 'T1')
    },
    says: ({ speaker }) => ({ storeId: expect.not.stringMatching(speaker.storeId) }),
  },
  {
    what: 'a speaker that is locked',
    change: ({ devices }, { clientId, speaker }) => devices.setActive(clientId, speaker.serial, false, AT),
    says: () => ({ announced: [], speakers: [{ active: false }] }),
  },
  {
    what: 'a second speaker',
    change: (storage, { clientId }) => createShop(storage).speaker(clientId),
    says: () => ({ announced: { length: 2 }, speakers: { length: 2 } }),
  },
  {
    what: 'a speaker that was released',
    change: ({ devices }, { clientId, speaker }) => devices.unregister(clientId, speaker.serial, AT),
    says: () => ({ announced: [], speakers: [] }),
  },
  {
    what: 'a speaker that was revoked',
    change: ({ devices }, { speaker }) => devices.revoke(speaker.serial, AT),
    says: () => ({ announced: [], speakers: [] }),
  },
  {
    what: 'a speaker that speaks another language',
    change: ({ devices }, { speaker }) =>
      devices.recordBirth(speaker.deviceId, bornWith({ languages: ['en'] }), AT),
    says: () => ({ announced: [{ lang: 'en' }] }),
  },
]

describe('a till that is kept', () => {
  it.each(CHANGES)('is read anew for $what', async ({ change, says }) => {
    const { storage, clientId, speaker } = await keptTill()
    await change(storage, { clientId, speaker })
    expectSaid(await told(storage, clientId), says({ clientId, speaker }))
  })

  it.each(CHANGES)('is read anew for $what that another process has written', async ({ change, says }) => {
    const { storage, clientId, speaker, openOther } = await keptTill()
    await change(openOther(), { clientId, speaker })
    expectSaid(await told(storage, clientId), says({ clientId, speaker }))
  })

  it.each([
    { what: 'linked', sql: 'INSERT INTO device_stores SELECT 1, 2, 0', speakers: 2 },
    { what: 'unlinked', sql: 'DELETE FROM device_stores WHERE store_number = 1', speakers: 0 },
    { what: 'taken away with its store', sql: 'DELETE FROM stores WHERE number = 1', speakers: undefined },
  ])('is read anew for a speaker that is $what by a statement of its own', async ({ sql, speakers }) => {
    const { storage, clientId, connect } = await keptTill()
    await createShop(storage).device()
    const { $client: sqlite } = connect().orm
    sqlite.pragma('foreign_keys = OFF')
    sqlite.exec(sql)
    const said = await told(storage, clientId)
    expectSaid(said, speakers === undefined ? 'store_not_found' : { speakers: { length: speakers } })
  })

  it.each([
    { what: 'store', table: 'stores', column: 'bank_name', value: 'VCB', says: { bankName: 'VCB' } },
    {
      what: 'speaker',
      table: 'devices',
      column: 'active',
      value: 0,
      says: { speakers: [{ active: false }] },
    },
    { what: 'store of another number', table: 'stores', column: 'number', value: 9, says: { speakers: [] } },
  ])('is read anew for a $what that a statement has put in the place of the old', async (changed) => {
    const { storage, clientId, connect } = await keptTill()
    const { $client: sqlite } = connect().orm
    sqlite.pragma('foreign_keys = OFF')
    const row = sqlite.prepare<[], Record<string, unknown>>(`SELECT * FROM ${changed.table}`).get()
    const other = { ...row, [changed.column]: changed.value }
    const [columns, marks] = [Object.keys(other), Object.keys(other).map(() => '?')]
    // Without recursive triggers, SQLite's default, such a statement fires none for what it deletes.
    sqlite.prepare(`REPLACE INTO ${changed.table} (${columns}) VALUES (${marks})`).run(Object.values(other))
    expectSaid(await told(storage, clientId), changed.says)
  })

  it('is read anew for what was written before it in its own commit', async () => {
    const { storage, clientId, speaker } = await keptTill()
    const [before, , after, , last] = await Promise.all([
      told(storage, clientId),
      storage.devices.setActive(clientId, speaker.serial, false, AT),
      told(storage, clientId),
      storage.devices.setActive(clientId, speaker.serial, true, AT),
      told(storage, clientId),
    ])
    expect([before, after, last]).toMatchObject([
      { announced: { length: 1 } },
      { announced: { length: 0 } },
      { announced: { length: 1 } },
    ])
  })

  it('is forgotten when a commit was taken back, although its revision comes again', async () => {
    const { clientId, connect, vault, openOther } = await keptTill()
    const database = connect()
    const here = createPorts(database, { vault, ids: createRandomIds() }, keptOf(database, 0))
    const { orm, commits } = database
    const rename = (name: string) => orm.update(stores).set({ bankName: name }).run()
    orm.$client.exec(
      'CREATE TABLE child (name TEXT REFERENCES partners (client_id) DEFERRABLE INITIALLY DEFERRED) STRICT',
    )
    const orphan = orm.$client.prepare("INSERT INTO child (name) VALUES ('nobody')")
    const results = await Promise.allSettled([
      commits.write(() => rename('of the commit that fails')),
      told(here, clientId),
      commits.write(() => orphan.run()),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    connect().orm.update(stores).set({ bankName: 'as it is' }).run()
    expect(await told(here, clientId)).toMatchObject({ bankName: 'as it is' })
    expect(await told(openOther(), clientId)).toMatchObject({ bankName: 'as it is' })
  })

  it('is forgotten when an act that changed it was taken back by its neighbour', async () => {
    const { clientId, connect, vault } = await keptTill()
    const database = connect()
    const here = createPorts(database, { vault, ids: createRandomIds() }, keptOf(database, 0))
    const { orm, commits } = database
    let runs = 0
    const results = await Promise.allSettled([
      commits.write(() => {
        runs += 1
        orm
          .update(stores)
          .set({ bankName: `run ${runs}` })
          .run()
        if (runs > 1) throw new Error('fails when it is run again')
      }),
      told(here, clientId),
      commits.write(() => {
        throw new Error('always fails')
      }),
    ])
    expect(results[1]).toMatchObject({ status: 'fulfilled', value: { bankName: 'MB Bank' } })
    expect(await told(here, clientId)).toMatchObject({ bankName: 'MB Bank' })
  })
})

function expectSaid(said: unknown, expected: unknown) {
  if (typeof expected === 'string') expect(said).toBe(expected)
  else expect(said).toMatchObject(expected as object)
}

/** Another value that the column may hold. */
function otherThan(
  row: Record<string, unknown>,
  table: Changed,
  field: string,
  { name }: Column,
  vault: Vault,
) {
  const value = row[name]
  const sealed = Object.values(SEALED).find((list) => list.table === table)?.fields ?? []
  if (sealed.some((one) => one === field)) return vault.seal(placeOf(table, String(row.id), field), 'changed')
  if (Buffer.isBuffer(value)) return hashOf('changed')
  if (value === 0 || value === 1) return name.endsWith('number') ? 9 : 1 - value
  return typeof value === 'number' || name.endsWith('_at') ? 7 : 'changed'
}

type Changed = typeof stores | typeof devices | typeof deviceStores

describe('a payment at a kept till', () => {
  it.each<[string, Changed]>([
    ['stores', stores],
    ['devices', devices],
    ['device_stores', deviceStores],
  ])('says what one says to a storage that has kept nothing, whatever changes in %s', async (name, table) => {
    const { storage, clientId, connect, vault } = await keptTill()
    const database = connect()
    const { $client: sqlite } = database.orm
    sqlite.pragma('foreign_keys = OFF')
    const saidNow = () => {
      const ports = createPorts(database, { vault, ids: createRandomIds() }, keptOf(database, 0))
      // What does not open any more.
      return told(ports, clientId).catch(() => 'failed')
    }
    const before = await told(storage, clientId)
    const effective: string[] = []
    for (const [field, column] of Object.entries(getTableColumns<Changed>(table))) {
      const row = sqlite.prepare<[], Record<string, unknown>>(`SELECT * FROM ${name}`).get() ?? {}
      const set = sqlite.prepare(`UPDATE ${name} SET ${column.name} = ?`)
      set.run(otherThan(row, table, field, column, vault))
      const said = await saidNow()
      if (!isDeepStrictEqual(said, before)) effective.push(column.name)
      expect(await told(storage, clientId).catch(() => 'failed'), column.name).toEqual(said)
      set.run(row[column.name])
      expect(await told(storage, clientId), `${column.name} as it was`).toEqual(before)
    }
    // Else the test would change nothing that a payment reads.
    expect(effective.length).toBeGreaterThan(1)
  })
})
