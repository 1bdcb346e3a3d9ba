import { describe, expect, it, onTestFinished } from 'vitest'
import { byPartner } from '../../../../../server/security/actor.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { createStoreMapping } from '../../../../../server/storage/shared/store-mapping.ts'
import { createActEngine } from '../../../../../server/storage/sqlite/engine/act-engine.ts'
import { openDatabase } from '../../../../../server/storage/sqlite/engine/database.ts'
import { createStoreCache } from '../../../../../server/storage/sqlite/rows/stores.ts'
import { openPorts, openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, bornWith, createShop, hashOf, type LinkedSpeaker, ownerOf } from '../../shop.ts'

/** A store that has just been paid, so that it is cached, and ways to write to the same file from elsewhere. */
async function cachedStore() {
  const { storage, vault, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const openOther = () => {
    const other = openSqliteStorage(file, storageOptions({ vault }))
    onTestFinished(() => other.close())
    return other
  }
  const connect = () => {
    const database = openDatabase(file, vault)
    onTestFinished(database.close)
    return database
  }
  expect(await shop.pay(clientId)).toMatchObject({ kind: 'recorded', announcements: [{ lang: 'vi' }] })
  return { storage, vault, clientId, speaker, openOther, connect }
}

/** What a payment answers and announces. */
async function paid(storage: Pick<Storage, 'payments'>, clientId: string) {
  // A payment uses no other port.
  const shop = createShop({ payments: storage.payments } as Storage)
  const result = await shop.pay(clientId)
  if (result.kind !== 'recorded') return result.kind
  const { answer, announcements } = result
  return { ...answer, announced: announcements.map(({ serial, lang }) => ({ serial, lang })) }
}

interface Scene {
  clientId: string
  speaker: LinkedSpeaker
}

/** The acts that change a store, a link or a speaker, and what a payment then says. */
const CHANGES: {
  what: string
  change: (storage: Storage, scene: Scene) => Promise<unknown>
  says: (scene: Scene) => unknown
}[] = [
  {
    what: 'another account of the store',
    change: ({ stores }, { clientId, speaker }) =>
      stores.update(byPartner(clientId), speaker.storeId, { bankAccountNumber: '4242' }, AT),
    says: () => ({ bankAccountNumber: '4242', bankAccountName: 'NGUYEN THI HA' }),
  },
  {
    what: 'another terminal of the store',
    change: ({ stores }, { clientId, speaker }) =>
      stores.update(byPartner(clientId), speaker.storeId, { terminalID: 'T2' }, AT),
    says: () => 'store_not_found',
  },
  {
    what: 'another store at the terminal',
    async change(storage, { clientId, speaker }) {
      await storage.stores.update(byPartner(clientId), speaker.storeId, { terminalID: 'T2' }, AT)
      await createShop(storage).speaker(clientId, 'T1')
    },
    says: ({ speaker }) => ({ storeId: expect.not.stringMatching(speaker.storeId) }),
  },
  {
    what: 'another account, given at a registration',
    async change(storage, { clientId, speaker }) {
      const shop = createShop(storage)
      await shop.issue(clientId, speaker, '654321', AT + 1)
      const store = { terminalID: 'T1', phoneNumber: '0912345678', bankAccountNumber: '4242' }
      const codeHash = hashOf('654321')
      await storage.devices.register(
        byPartner(clientId),
        shop.registration(clientId, speaker.serial, { store, codeHashes: [codeHash] }),
        AT + 1,
      )
    },
    says: () => ({ bankAccountNumber: '4242', announced: { length: 1 } }),
  },
  {
    what: 'a locked speaker',
    change: ({ devices }, { clientId, speaker }) =>
      devices.setActive(byPartner(clientId), speaker.serial, false, AT),
    says: () => ({ announced: [] }),
  },
  {
    what: 'a second speaker',
    change: (storage, { clientId }) => createShop(storage).speaker(clientId),
    says: () => ({ announced: { length: 2 } }),
  },
  {
    what: 'a released speaker',
    change: ({ devices }, { clientId, speaker }) =>
      devices.unregister(byPartner(clientId), speaker.serial, AT),
    says: () => ({ announced: [] }),
  },
  {
    what: 'a revoked speaker',
    change: ({ devices }, { speaker }) => devices.revoke(OPERATOR, speaker.serial, AT),
    says: () => ({ announced: [] }),
  },
  {
    what: 'a speaker that is born with another language',
    change: ({ outbox }, { speaker }) =>
      outbox.begin(ownerOf(speaker.deviceId), AT, { born: bornWith({ languages: ['en'] }) }),
    says: () => ({ announced: [{ lang: 'en' }] }),
  },
  {
    what: 'a speaker that reports another language',
    change: ({ settings }, { speaker }) =>
      settings.report(speaker.deviceId, { ver: 1, volume: 70, lang: 'en' }, AT),
    says: () => ({ announced: [{ lang: 'en' }] }),
  },
]

function expectPaid(said: unknown, expected: unknown) {
  if (typeof expected === 'string') expect(said).toBe(expected)
  else expect(said).toMatchObject(Object(expected))
}

describe('a cached store', () => {
  it.each(CHANGES)('is read again after $what, written by another process', async ({ change, says }) => {
    const { storage, clientId, speaker, openOther } = await cachedStore()
    await change(openOther(), { clientId, speaker })
    expectPaid(await paid(storage, clientId), says({ clientId, speaker }))
  })

  it('is read again after a change earlier in the same commit', async () => {
    const { storage, clientId, speaker } = await cachedStore()
    const [before, , after, , last] = await Promise.all([
      paid(storage, clientId),
      storage.devices.setActive(byPartner(clientId), speaker.serial, false, AT),
      paid(storage, clientId),
      storage.devices.setActive(byPartner(clientId), speaker.serial, true, AT),
      paid(storage, clientId),
    ])
    expect([before, after, last]).toMatchObject([
      { announced: { length: 1 } },
      { announced: { length: 0 } },
      { announced: { length: 1 } },
    ])
  })

  /** The ports of another connection, and a change of the bank's name on it inside an act. */
  async function elsewhere() {
    const scene = await cachedStore()
    const database = scene.connect()
    const engine = createActEngine(database, scene.vault)
    const here = openPorts(database, engine, storageOptions({ vault: scene.vault }))
    const rename = (bankName: string, { sqlite } = database) => {
      sqlite.exec("UPDATE revisions SET revision = revision + 1 WHERE name = 'stores'")
      sqlite.prepare('UPDATE stores SET bank_name = ?').run(bankName)
    }
    return { ...scene, ...database, here, rename }
  }

  it('is read again after a rollback, although another change raises the revision to the same number', async () => {
    const { clientId, connect, openOther, here, rename, sqlite, commits } = await elsewhere()
    sqlite.exec(
      'CREATE TABLE child (name TEXT REFERENCES partners (client_id) DEFERRABLE INITIALLY DEFERRED) STRICT',
    )
    const orphan = sqlite.prepare("INSERT INTO child (name) VALUES ('nobody')")
    const results = await Promise.allSettled([
      commits.write(() => rename('of the commit that fails')),
      paid(here, clientId),
      commits.write(() => orphan.run()),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    rename('as it is', connect())
    expect(await paid(here, clientId)).toMatchObject({ bankName: 'as it is' })
    expect(await paid(openOther(), clientId)).toMatchObject({ bankName: 'as it is' })
  })

  it('is read again after the rollback of one act of a commit', async () => {
    const { clientId, here, rename, commits } = await elsewhere()
    let runs = 0
    const results = await Promise.allSettled([
      commits.write(() => {
        runs += 1
        rename(`run ${runs}`)
        if (runs > 1) throw new Error('fails when it is run again')
      }),
      paid(here, clientId),
      commits.write(() => {
        throw new Error('always fails')
      }),
    ])
    expect(results[1]).toMatchObject({ status: 'fulfilled', value: { bankName: 'MB Bank' } })
    expect(await paid(here, clientId)).toMatchObject({ bankName: 'MB Bank' })
  })
})

describe('the store cache', () => {
  /** Tells for each look-up whether the store was read from the tables. */
  async function counted(limit?: number) {
    const scene = await cachedStore()
    const database = scene.connect()
    const { toPaid } = createStoreMapping(scene.vault)
    let reads = 0
    const toRead: typeof toPaid = (row) => {
      reads += 1
      return toPaid(row)
    }
    const cache = createStoreCache(database, toRead, limit)
    const get = (terminalID: string, clientId = scene.clientId) => {
      const before = reads
      const found = cache(clientId, terminalID)
      return { found, wasRead: reads > before }
    }
    return { ...scene, get }
  }

  it('reads a store once, and again after a change', async () => {
    const { get, storage, clientId, speaker } = await counted()
    expect(get('T1')).toMatchObject({ wasRead: true, found: { store: { id: speaker.storeId } } })
    expect(get('T1')).toMatchObject({ wasRead: false, found: { store: { id: speaker.storeId } } })
    await storage.stores.update(byPartner(clientId), speaker.storeId, { bankName: 'VCB' }, AT)
    expect(get('T1')).toMatchObject({ wasRead: true, found: { store: { bankName: 'VCB' } } })
    expect(get('T1').wasRead).toBe(false)
  })

  it('keeps its stores over payments, births, reports, new devices and what changes nothing', async () => {
    const { get, storage, clientId, speaker } = await counted()
    get('T1')
    const { deviceId } = speaker
    await storage.outbox.begin(ownerOf(deviceId), AT, { born: bornWith({ languages: ['vi'] }) })
    await storage.settings.report(deviceId, { ver: 1, volume: 70, lang: 'vi' }, AT)
    await storage.devices.setActive(byPartner(clientId), speaker.serial, true, AT)
    await createShop(storage).device()
    await createShop(storage).pay(clientId)
    expect(get('T1').wasRead).toBe(false)
  })

  it('tells the stores of two partners apart, whatever the names are', async () => {
    const { get, storage } = await counted()
    const shop = createShop(storage)
    const storeOf = async (clientId: string, terminalID: string) => {
      await shop.partner(clientId)
      return (await shop.speaker(clientId, terminalID)).storeId
    }
    const [one, two] = [await storeOf('sbc_1', '2 '), await storeOf(' sbc_1', '2')]
    for (const again of ['read', 'cached'])
      expect([get('2 ', 'sbc_1').found?.store.id, get('2', ' sbc_1').found?.store.id], again).toEqual([
        one,
        two,
      ])
  })

  it('finds a store that was not there before', async () => {
    const { get, storage, clientId } = await counted()
    expect(get('T2').found).toBeUndefined()
    await createShop(storage).speaker(clientId, 'T2')
    expect(get('T2').found).toBeDefined()
  })

  it('has a limit, and drops the store that it cached first', async () => {
    const { get, storage, clientId } = await counted(2)
    for (const terminal of ['T2', 'T3']) await createShop(storage).speaker(clientId, terminal)
    for (const terminal of ['T1', 'T2', 'T3']) get(terminal)
    expect(['T2', 'T3', 'T1'].map((terminal) => get(terminal).wasRead)).toEqual([false, false, true])
  })
})
