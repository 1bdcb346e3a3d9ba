import { expect, it } from 'vitest'
import { type Actor, byPartner } from '../../../../server/security/actor.ts'
import type { StorageRules } from '../../../../server/storage/rules.ts'
import { AT, createShop, freeSpeaker, hashOf, payWell } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const LARGEST = '9999999999999'

async function opened({ storage, reopen }: Opened) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const totals = async () => {
    const store = await storage.stores.find(clientId, speaker.storeId)
    return [store?.totalTransaction, store?.totalAmount]
  }
  return { storage, reopen, shop, clientId, speaker, storeId: speaker.storeId, totals }
}

export function paymentContract(open: OpenStorage) {
  it('records payment, totals, bill and announcement, and shows them after reopening', async () => {
    const answer = {
      ...{ id: 'answer', bankName: '', bankCode: '', bankAccountNumber: '7', bankAccountName: '' },
      ...{ qrcode: 'QR', billNumber: 'B1' },
    }
    const settle: StorageRules['settle'] = (_payment, { store, speakers }) => ({
      outcome: 'bill_paid',
      answer: { ...answer, storeId: store.id },
      announcements: speakers.map(({ deviceId }) => ({
        ...{ id: 'planned', deviceId, stage: 'queued', lang: 'vi', paidBill: 'B1', expiresAt: AT + 120_000 },
      })),
    })
    const { storage, reopen, shop, clientId, speaker, storeId } = await opened(await open({ settle }))
    await storage.bills.put(clientId, shop.bill(storeId), AT)
    const payment = shop.payment(clientId, { billNumber: 'B1' })
    const result = await storage.payments.record(payment)
    const recorded = { ...answer, storeId }
    expect(result).toMatchObject({
      ...{ kind: 'recorded', answer: recorded, announcements: [{ id: 'planned', n: 1 }] },
    })

    const again = await reopen()
    expect(await again.stores.find(clientId, storeId)).toMatchObject({
      totalTransaction: 1n,
      totalAmount: 50_000n,
    })
    expect(await again.payments.findByFtCode(clientId, payment.ftCode)).toEqual({
      payment,
      storeId,
      outcome: 'bill_paid',
      announcements: [
        { serial: speaker.serial, n: 1, stage: 'queued', times: { queued: AT }, reason: undefined },
      ],
    })
    expect(await again.bills.put(clientId, shop.bill(storeId), AT)).toEqual({ kind: 'already_paid' })
    expect(await createShop(again).pay(clientId, payment)).toEqual({ kind: 'replayed', answer: recorded })
  })

  it.each([
    { outcome: 'bill_paid', amount: '50000', billNumber: 'B1', leaves: 'already_paid' },
    { outcome: 'amount_mismatch', amount: '49999', billNumber: 'B1', leaves: 'stored' },
    { outcome: 'static_qr', amount: '50000', billNumber: 'B9', leaves: 'stored' },
    { outcome: 'static_qr', amount: '50000', billNumber: '', leaves: 'stored' },
  ])('leaves a bill $leaves after $outcome', async ({ outcome, amount, billNumber, leaves }) => {
    const { storage, shop, clientId, storeId, totals } = await opened(await open())
    await storage.bills.put(clientId, shop.bill(storeId), AT)
    const paid = await shop.pay(clientId, { ftCode: 'FT1', amount, billNumber })
    expect(paid).toMatchObject({ kind: 'recorded' })
    expect('paidBill' in paid && paid.paidBill !== undefined).toBe(outcome === 'bill_paid')
    expect(await storage.payments.findByFtCode(clientId, 'FT1')).toMatchObject({ outcome })
    expect(await storage.bills.put(clientId, shop.bill(storeId), AT)).toMatchObject({ kind: leaves })
    expect(await totals()).toEqual([1n, BigInt(amount)])
  })

  it('sums totals exactly, far beyond what a floating-point number can tell apart', async () => {
    const { shop, clientId, totals } = await opened(await open())
    const payments = Array.from({ length: 1_000 }, () => shop.pay(clientId, { amount: LARGEST }))
    await Promise.all(payments)
    expect(await totals()).toEqual([1_000n, 1_000n * BigInt(LARGEST)])
  })

  it('answers a repeated payment with the first answer, whatever has changed since', async () => {
    const { storage, reopen, shop, clientId, storeId, totals } = await opened(await open())
    const payment = shop.payment(clientId)
    const first = await payWell(shop, clientId, payment)
    await storage.stores.update(
      byPartner(clientId),
      storeId,
      { terminalID: 'T7', bankAccountNumber: '4242' },
      AT + 1,
    )
    expect(await shop.pay(clientId, { ...payment, id: 'later' })).toEqual({
      kind: 'replayed',
      answer: first.answer,
    })
    expect(await totals()).toEqual([1n, 50_000n])
    expect(await createShop(await reopen()).pay(clientId, payment)).toMatchObject({ kind: 'replayed' })
  })

  it('refuses the same payment with other content, and changes nothing by it', async () => {
    const { storage, shop, clientId, speaker, totals } = await opened(await open())
    const payment = shop.payment(clientId)
    await payWell(shop, clientId, payment)
    const other = { ...payment, id: 'other', amount: '1', contentHash: hashOf('other').toString('hex') }
    expect(await shop.pay(clientId, other)).toEqual({ kind: 'conflict' })
    expect(await totals()).toEqual([1n, 50_000n])
    expect(await storage.outbox.open(speaker.deviceId, AT)).toHaveLength(1)
  })

  it('makes one payment of one report that is recorded twice at once', async () => {
    const { storage, shop, clientId, totals } = await opened(await open())
    const payment = shop.payment(clientId)
    const results = await Promise.all([payment, payment].map((report) => storage.payments.record(report)))
    expect(results.map(({ kind }) => kind)).toEqual(['recorded', 'replayed'])
    expect(await totals()).toEqual([1n, 50_000n])
  })

  it('finds nothing by a text with NUL', async () => {
    const { storage, clientId } = await opened(await open())
    expect(await storage.payments.findByFtCode(clientId, 'FT\0')).toBeUndefined()
    expect(await storage.devices.findFor(clientId, 'SPK\0')).toBeUndefined()
    expect(await storage.stores.find(clientId, '\0')).toBeUndefined()
  })

  it('makes one payment of fifty reports at once', async () => {
    const { storage, shop, clientId, speaker, totals } = await opened(await open())
    const payment = shop.payment(clientId)
    const reports = Array.from({ length: 50 }, () => ({ ...payment, id: shop.ids.uuid() }))
    const results = await Promise.all(reports.map((report) => shop.pay(clientId, report)))
    expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1)
    expect(results.filter(({ kind }) => kind === 'replayed')).toHaveLength(49)
    expect(await totals()).toEqual([1n, 50_000n])
    expect(await storage.outbox.open(speaker.deviceId, AT)).toHaveLength(1)
  })

  it('keeps payments of two partners apart, even under the same code', async () => {
    const { storage, shop, clientId } = await opened(await open())
    const foreign = await shop.partner()
    expect(await shop.pay(foreign, { ftCode: 'FT1' })).toEqual({ kind: 'store_not_found' })
    await shop.speaker(foreign)
    expect(await shop.pay(clientId, { ftCode: 'FT1', amount: '1' })).toMatchObject({ kind: 'recorded' })
    expect(await shop.pay(foreign, { ftCode: 'FT1', amount: '2' })).toMatchObject({ kind: 'recorded' })
    expect(await storage.payments.findByFtCode(clientId, 'FT1')).toMatchObject({ payment: { amount: '1' } })
    expect(await storage.payments.findByFtCode(foreign, 'FT1')).toMatchObject({ payment: { amount: '2' } })
    expect(await storage.payments.findByFtCode(foreign, 'FT2')).toBeUndefined()
  })

  it('shows the newest payment of a code that two banks have used', async () => {
    const { storage, shop, clientId } = await opened(await open())
    await payWell(shop, clientId, { ftCode: 'FT1', bankCode: 'MB' })
    await payWell(shop, clientId, { ftCode: 'FT1', bankCode: 'VCB', receivedAt: AT + 1 })
    expect(await storage.payments.findByFtCode(clientId, 'FT1')).toMatchObject({
      payment: { bankCode: 'VCB' },
    })
  })

  it('announces on every speaker of the store, and on none of another', async () => {
    const { shop, clientId, speaker } = await opened(await open())
    const second = await shop.speaker(clientId, 'T1')
    await shop.speaker(clientId, 'T2')
    const { announcements } = await payWell(shop, clientId)
    const serials = announcements.map(({ serial }) => serial)
    expect(serials.sort()).toEqual([speaker.serial, second.serial].sort())
  })

  it('stores the announcement of a locked speaker as suppressed, without a number; unlocked it speaks again', async () => {
    const { storage, shop, clientId, speaker } = await opened(await open())
    await payWell(shop, clientId, { ftCode: 'FT1' })
    expect(await storage.devices.setActive(byPartner(clientId), speaker.serial, false, AT + 1)).toEqual({
      deviceId: speaker.deviceId,
    })
    expect((await payWell(shop, clientId, { ftCode: 'FT2' })).announcements).toEqual([])
    const trail = async (ftCode: string) =>
      (await storage.payments.findByFtCode(clientId, ftCode))?.announcements
    expect(await trail('FT1')).toMatchObject([{ n: 1, stage: 'suppressed', times: { suppressed: AT + 1 } }])
    expect(await trail('FT2')).toMatchObject([{ n: undefined, stage: 'suppressed' }])
    expect(await storage.outbox.open(speaker.deviceId, AT)).toEqual([])

    await storage.devices.setActive(byPartner(clientId), speaker.serial, true, AT + 2)
    expect((await payWell(shop, clientId)).announcements).toMatchObject([{ n: 2, stage: 'queued' }])
  })

  it('stores the announcements of claimed speakers as sent; a claim for a locked or foreign speaker has no effect', async () => {
    const { storage, shop, clientId, speaker } = await opened(await open())
    const locked = await shop.speaker(clientId)
    await storage.devices.setActive(byPartner(clientId), locked.serial, false, AT)
    const elsewhere = await shop.speaker(clientId, 'T2')
    const devices = [speaker.deviceId, locked.deviceId, elsewhere.deviceId]
    const free = await Promise.all(devices.map((deviceId) => freeSpeaker(storage, deviceId)))
    const payment = shop.payment(clientId)
    const result = await storage.payments.record(payment, free)
    expect(result).toMatchObject({ announcements: [{ deviceId: speaker.deviceId, stage: 'sent' }] })
    const trails = (await storage.payments.findByFtCode(clientId, payment.ftCode))?.announcements
    expect(trails).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ serial: speaker.serial, stage: 'sent', times: { queued: AT, sent: AT } }),
        expect.objectContaining({
          ...{ serial: locked.serial, stage: 'suppressed', times: { queued: AT, suppressed: AT } },
        }),
      ]),
    )
    expect((await payWell(shop, clientId)).announcements).toMatchObject([{ stage: 'queued' }])
  })

  it('stores nothing of a payment whose rules fail', async () => {
    const settle = () => {
      throw new Error('broken rules')
    }
    const { storage, shop, clientId, totals } = await opened(await open({ settle }))
    const payment = shop.payment(clientId)
    await expect(storage.payments.record(payment)).rejects.toThrow('broken rules')
    expect(await totals()).toEqual([0n, 0n])
    expect(await storage.payments.findByFtCode(clientId, payment.ftCode)).toBeUndefined()
  })

  it('opens what is sealed of one payment for a person, with an audit row in the same commit', async () => {
    const { storage, shop, clientId } = await opened(await open())
    await shop.pay(clientId, { ftCode: 'FT1', notice: 'a secret' })
    const { rows } = await storage.lists.payments.page({}, { limit: 1 })
    const { payment, cursor } = rows[0] ?? { payment: shop.payment(clientId), cursor: '' }
    const minh: Actor = { kind: 'operator', name: 'minh', from: 'console' }
    const { unseal } = storage.payments
    expect(await unseal(minh, { id: payment.id, cursor }, AT)).toEqual({
      ...{ notice: 'a secret', bankName: 'MB Bank', bankCode: 'MB' },
      ...{ bankAccountNumber: '0001234567', bankAccountName: 'NGUYEN THI HA' },
    })
    for (const other of [
      { id: payment.id, cursor: '999' },
      { id: 'other', cursor },
    ])
      expect(await unseal(minh, other, AT)).toBeUndefined()
    expect(await storage.audit.list({ action: 'payment.unseal', limit: 9 })).toMatchObject([
      { actor: 'minh', subject: payment.id, at: AT, details: { via: 'console' } },
    ])
  })
}
