import { describe, expect, it } from 'vitest'
import { createDeviceRows } from '../../../server/storage/sqlite/rows/device-rows.ts'
import { createTills } from '../../../server/storage/sqlite/rows/store-cache.ts'
import { createStoreRows } from '../../../server/storage/sqlite/rows/store-rows.ts'
import { keptTill } from './kept-till.ts'
import { AT, bornWith, createShop } from './shop.ts'

describe('tills', () => {
  /** How often each till was read from the tables. */
  async function counted(limit?: number) {
    const scene = await keptTill()
    const database = scene.connect()
    const storeRows = createStoreRows(database.orm, scene.vault)
    const rows = createDeviceRows(database.orm, storeRows)
    let reads = 0
    const paid: typeof storeRows.paid = (...till) => {
      reads += 1
      return storeRows.paid(...till)
    }
    const tills = createTills(database, { storeRows: { paid }, rows }, limit)
    const ask = (terminalID: string, clientId = scene.clientId) => {
      const before = reads
      const till = tills.of(clientId, terminalID)
      return { till, wasRead: reads > before }
    }
    return { ...scene, ask }
  }

  it('are read once, and again when they have changed', async () => {
    const { ask, storage, clientId, speaker } = await counted()
    expect(ask('T1')).toMatchObject({ wasRead: true, till: { store: { id: speaker.storeId } } })
    expect(ask('T1')).toMatchObject({ wasRead: false, till: { store: { id: speaker.storeId } } })
    await storage.stores.update(clientId, speaker.storeId, { bankName: 'VCB' }, AT)
    expect(ask('T1')).toMatchObject({ wasRead: true, till: { store: { bankName: 'VCB' } } })
    expect(ask('T1').wasRead).toBe(false)
  })

  it('are not read again for what does not concern them', async () => {
    const { ask, storage, clientId, speaker } = await counted()
    const second = await createShop(storage).speaker(clientId, 'T2')
    for (const till of ['T1', 'T2']) ask(till)
    const { deviceId } = speaker
    await storage.devices.recordBirth(deviceId, bornWith({ languages: ['vi'] }), AT)
    await storage.stores.update(clientId, speaker.storeId, { ownerName: 'TRAN VAN BINH' }, AT)
    await createShop(storage).pay(clientId)
    await storage.devices.setActive(clientId, second.serial, false, AT)
    expect([ask('T1').wasRead, ask('T2').wasRead]).toEqual([false, true])
  })

  it('are each partner’s own, whatever the names are', async () => {
    const { ask, storage } = await counted()
    const shop = createShop(storage)
    const till = async (clientId: string, terminalID: string) => {
      await shop.partner(clientId)
      return (await shop.speaker(clientId, terminalID)).storeId
    }
    const [one, two] = [await till('sbc_1', '2 '), await till(' sbc_1', '2')]
    for (const again of ['read', 'kept'])
      expect([ask('2 ', 'sbc_1').till?.store.id, ask('2', ' sbc_1').till?.store.id], again).toEqual([
        one,
        two,
      ])
  })

  it('that are not there are not kept as such', async () => {
    const { ask, storage, clientId } = await counted()
    expect(ask('T2').till).toBeUndefined()
    await createShop(storage).speaker(clientId, 'T2')
    expect(ask('T2').till).toBeDefined()
  })

  it('are kept within bounds', async () => {
    const { ask, storage, clientId } = await counted(2)
    for (const till of ['T2', 'T3']) await createShop(storage).speaker(clientId, till)
    for (const till of ['T1', 'T2', 'T3']) ask(till)
    expect(['T2', 'T3', 'T1'].map((till) => ask(till).wasRead)).toEqual([false, false, true])
  })
})
