import { expect, it } from 'vitest'
import { AT, createShop } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

async function opened({ storage, reopen }: Opened) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  return { storage, reopen, shop, clientId, speaker, storeId: speaker.storeId }
}

export function billContract(open: OpenStorage) {
  it('stores a new bill and names its store and speakers', async () => {
    const { storage, shop, clientId, speaker, storeId } = await opened(await open())
    const bill = shop.bill(storeId)
    expect(await storage.bills.put(clientId, bill, AT)).toEqual({
      kind: 'stored',
      bill: { ...bill, paid: false },
      store: await storage.stores.find(clientId, storeId),
      speakers: [{ deviceId: speaker.deviceId, serial: speaker.serial, active: true, lang: 'vi' }],
    })
  })

  it('answers the same bill again under its first id, shown anew, over a reopening', async () => {
    const { storage, reopen, shop, clientId, storeId } = await opened(await open())
    const first = shop.bill(storeId)
    await storage.bills.put(clientId, first, AT)
    const again = shop.bill(storeId, { shownUntil: AT + 20 * 60_000 })
    expect(await (await reopen()).bills.put(clientId, again, AT + 1)).toMatchObject({
      kind: 'stored',
      bill: { id: first.id, shownUntil: AT + 20 * 60_000 },
    })
  })

  it.each([{ amount: '60000' }, { qrcode: 'another QR' }])(
    'changes an unpaid bill to %j and keeps its id',
    async (change) => {
      const { storage, shop, clientId, storeId } = await opened(await open())
      const first = shop.bill(storeId)
      await storage.bills.put(clientId, first, AT)
      expect(await storage.bills.put(clientId, shop.bill(storeId, change), AT + 1)).toMatchObject({
        kind: 'stored',
        bill: { ...first, ...change },
      })
    },
  )

  it('refuses a paid bill, and leaves it as it was', async () => {
    const { storage, shop, clientId, storeId } = await opened(await open())
    await storage.bills.put(clientId, shop.bill(storeId), AT)
    await shop.pay(clientId, { billNumber: 'B1' })
    const change = shop.bill(storeId, { amount: '1' })
    expect(await storage.bills.put(clientId, change, AT)).toEqual({ kind: 'already_paid' })
    await shop.pay(clientId, { billNumber: 'B1', ftCode: 'LATE' })
    expect(await storage.payments.findByFtCode(clientId, 'LATE')).toMatchObject({
      outcome: 'bill_already_paid',
    })
  })

  it('keeps bills of the same number apart by store', async () => {
    const { storage, shop, clientId, storeId } = await opened(await open())
    const other = await shop.speaker(clientId, 'T2')
    await storage.bills.put(clientId, shop.bill(storeId, { amount: '1' }), AT)
    await storage.bills.put(clientId, shop.bill(other.storeId, { amount: '2' }), AT)
    const paid = await shop.pay(clientId, { terminalID: 'T2', billNumber: 'B1', amount: '2' })
    expect(paid).toMatchObject({ paidBill: { deviceIds: [other.deviceId] } })
  })

  it("takes no bill for another partner's store", async () => {
    const { storage, shop, storeId } = await opened(await open())
    const foreign = await shop.partner()
    expect(await storage.bills.put(foreign, shop.bill(storeId), AT)).toEqual({ kind: 'store_not_found' })
  })

  it('makes one bill of fifty that come at once', async () => {
    const { storage, shop, clientId, storeId } = await opened(await open())
    const bills = Array.from({ length: 50 }, () => shop.bill(storeId))
    const results = await Promise.all(bills.map((bill) => storage.bills.put(clientId, bill, AT)))
    const ids = results.map((result) => (result.kind === 'stored' ? result.bill.id : result.kind))
    expect(new Set(ids).size).toBe(1)
  })
}
