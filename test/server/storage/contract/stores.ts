import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, createShop } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

async function twoTills({ storage, reopen }: Opened) {
  const shop = createShop(storage)
  const [clientId, foreign] = [await shop.partner(), await shop.partner()]
  const [one, two] = [await shop.speaker(clientId, 'T1'), await shop.speaker(clientId, 'T2')]
  return { storage, reopen, shop, clientId, foreign, one, two }
}

export function storeContract(open: OpenStorage) {
  it("changes only the given fields, and names the store's speakers", async () => {
    const { storage, reopen, clientId, one } = await twoTills(await open())
    const before = await storage.stores.find(clientId, one.storeId)
    const change = {
      storeName: 'Mới',
      identityNumber: 'A12345678',
      bankAccountNumber: '99887766',
      ownerName: undefined,
    }
    const update = await storage.stores.update(byPartner(clientId), one.storeId, change, AT + 1)
    const { storeName, identityNumber, bankAccountNumber } = change
    const after = { ...before, storeName, identityNumber, bankAccountNumber }
    expect(update).toEqual({ kind: 'updated', store: after, deviceIds: [one.deviceId] })
    expect(await (await reopen()).stores.find(clientId, one.storeId)).toEqual(after)
  })

  it("hides another partner's store: it is not found, and not changed", async () => {
    const { storage, clientId, foreign, one } = await twoTills(await open())
    expect(await storage.stores.find(foreign, one.storeId)).toBeUndefined()
    expect(await storage.stores.update(byPartner(foreign), one.storeId, { storeName: 'X' }, AT)).toEqual({
      kind: 'not_found',
    })
    expect(await storage.stores.find(clientId, one.storeId)).toMatchObject({ storeName: 'Phở Hà' })
  })

  it("refuses the terminal of another of the partner's stores, and changes nothing then", async () => {
    const { storage, clientId, one } = await twoTills(await open())
    const before = await storage.stores.find(clientId, one.storeId)
    const change = { terminalID: 'T2', storeName: 'X' }
    expect(await storage.stores.update(byPartner(clientId), one.storeId, change, AT)).toEqual({
      kind: 'terminal_taken',
    })
    expect(await storage.stores.find(clientId, one.storeId)).toEqual(before)
  })

  it('accepts its own terminal again, and one that only another partner uses', async () => {
    const { storage, shop, clientId, foreign, one } = await twoTills(await open())
    await shop.speaker(foreign, 'T9')
    for (const terminalID of ['T1', 'T9'])
      expect(await storage.stores.update(byPartner(clientId), one.storeId, { terminalID }, AT)).toMatchObject(
        {
          kind: 'updated',
          store: { terminalID },
        },
      )
  })
}
