import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, createShop, payWell } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const NOTHING = { profile: { name: '', qr: '' }, linked: false, bill: undefined, hasEndedBill: false }

async function opened({ storage }: Opened) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const show = (at = AT) => storage.outbox.screen(speaker.deviceId, at)
  const put = (billNumber: string, at: number, storeId = speaker.storeId) => {
    const bill = shop.bill(storeId, { billNumber, shownUntil: at + 1_000 })
    return storage.bills.put(clientId, bill, at)
  }
  return { storage, shop, clientId, speaker, show, put }
}

export function screenContract(open: OpenStorage) {
  it('is empty before the registration and after the release', async () => {
    const { storage, shop, clientId, speaker, show } = await opened(await open())
    expect(await storage.outbox.screen((await shop.device()).deviceId, AT)).toEqual(NOTHING)
    await storage.devices.unregister(byPartner(clientId), speaker.serial, AT)
    expect(await show()).toEqual(NOTHING)
  })

  it('shows the shop that was linked last', async () => {
    const { storage, shop, clientId, speaker, show } = await opened(await open())
    expect(await show()).toMatchObject({ profile: { name: 'Phở Hà', qr: 'static QR' }, linked: true })
    await shop.issue(clientId, speaker, '123456', AT + 1)
    const store = { terminalID: 'T2', phoneNumber: '0912345678', storeName: 'Quầy hai' }
    await storage.devices.register(
      byPartner(clientId),
      shop.registration(clientId, speaker.serial, { store }),
      AT + 1,
    )
    expect(await show()).toMatchObject({ profile: { name: 'Quầy hai' } })
  })

  it('shows the bill that was put last, until its time', async () => {
    const { show, put } = await opened(await open())
    await put('B1', AT)
    await put('B2', AT + 1)
    expect(await show(AT + 1)).toMatchObject({ bill: { billNumber: 'B2', amount: '50000', qr: 'QR' } })
    await put('B1', AT + 2)
    expect(await show(AT + 2)).toMatchObject({ bill: { billNumber: 'B1' } })
    expect(await show(AT + 1_001)).toMatchObject({ bill: { billNumber: 'B1' } })
    expect((await show(AT + 1_002)).bill).toBeUndefined()
  })

  it('keeps the newest bill while an older one is paid', async () => {
    const { shop, clientId, show, put } = await opened(await open())
    await put('B1', AT)
    await put('B2', AT + 1)
    await payWell(shop, clientId, { billNumber: 'B1' })
    expect(await show(AT + 1)).toMatchObject({ bill: { billNumber: 'B2' } })
  })

  it('shows no bill that is paid, and goes back to one that is not', async () => {
    const { shop, clientId, show, put } = await opened(await open())
    await put('B1', AT)
    await put('B2', AT + 1)
    await payWell(shop, clientId, { billNumber: 'B2' })
    expect(await show(AT + 1)).toMatchObject({ bill: { billNumber: 'B1' } })
    await payWell(shop, clientId, { billNumber: 'B1' })
    expect((await show(AT + 1)).bill).toBeUndefined()
  })

  it('shows no bill and no QR on a locked device, but its shop and that it is locked', async () => {
    const { storage, clientId, speaker, show, put } = await opened(await open())
    await put('B1', AT)
    await storage.devices.setActive(byPartner(clientId), speaker.serial, false, AT)
    const profile = { name: 'Phở Hà', qr: '', locked: true }
    expect(await show()).toEqual({ profile, linked: true, bill: undefined, hasEndedBill: true })
    await storage.devices.setActive(byPartner(clientId), speaker.serial, true, AT + 1)
    const unlocked = await show()
    expect(unlocked).toMatchObject({ profile: { name: 'Phở Hà' }, bill: { billNumber: 'B1' } })
    expect(unlocked.profile).not.toHaveProperty('locked')
  })

  it('tells of a bill that has ended before its time: it may still be on a screen', async () => {
    const { storage, shop, clientId, speaker, show, put } = await opened(await open())
    expect((await show()).hasEndedBill).toBe(false)
    await put('B1', AT)
    expect((await show()).hasEndedBill).toBe(false)
    await storage.devices.setActive(byPartner(clientId), speaker.serial, false, AT)
    expect((await show()).hasEndedBill).toBe(true)
    await storage.devices.setActive(byPartner(clientId), speaker.serial, true, AT)
    await payWell(shop, clientId, { billNumber: 'B1' })
    expect((await show()).hasEndedBill).toBe(true)
    expect((await show(AT + 1_001)).hasEndedBill).toBe(false)
  })

  it('shows the bill that was put last, however many a till has', async () => {
    const { show, put } = await opened(await open())
    await Promise.all(Array.from({ length: 300 }, (_, index) => put(`B${index}`, AT + index)))
    expect(await show(AT + 300)).toMatchObject({ bill: { billNumber: 'B299' } })
  })

  it("shows no bill of a store that is not the device's", async () => {
    const { shop, clientId, show, put } = await opened(await open())
    const other = await shop.speaker(clientId, 'T2')
    await put('B1', AT, other.storeId)
    expect((await show()).bill).toBeUndefined()
  })
}
