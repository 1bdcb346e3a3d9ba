import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
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

  it('finds stores by a terminal, or by words of their names, also those whose words are not written yet', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [one, other] = [await shop.partner('sbc_1'), await shop.partner('sbc_2')]
    const names = ['Phở Hà', 'Cửa hàng Đào Hà Nội', 'Bánh mì 37', 'PHO HA 2']
    const made: string[] = []
    for (const [n, storeName] of names.entries()) {
      const { storeId } = await shop.speaker(n === 3 ? other : one, `T${n}`)
      await storage.stores.update(OPERATOR, storeId, { storeName }, AT)
      made.push(storeId)
    }
    const found = async (text: string, clientId?: string, limit = 10) => {
      const rows = await storage.lists.stores.named(text, { clientId, limit })
      return rows.map(({ store }) => made.indexOf(store.id)).sort()
    }
    async function look() {
      expect(await found('T2')).toEqual([2])
      expect(await found('T2', other)).toEqual([])
      expect(await found('pho ha')).toEqual([0, 3])
      expect(await found('HÀ phở')).toEqual([0, 3])
      expect(await found('pho ha', one)).toEqual([0])
      expect(await found('dao')).toEqual([1])
      expect(await found('ha n')).toEqual([1])
      expect(await found('ha')).toEqual([0, 1, 3])
      expect(await found('ha', undefined, 2)).toHaveLength(2)
      expect(await found('37')).toEqual([2])
      for (const none of ['', ' ', '%', 'anh', 'pho ga', '-'])
        expect([none, await found(none)]).toEqual([none, []])
    }
    await look()
    while (await storage.stores.indexNames());
    await look()
    await storage.stores.update(OPERATOR, made[2] ?? '', { storeName: 'Xôi' }, AT)
    for (const _ of ['due', 'written']) {
      expect([await found('banh'), await found('xoi')]).toEqual([[], [2]])
      while (await storage.stores.indexNames());
    }
  })
}
