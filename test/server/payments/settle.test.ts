import { describe, expect, it } from 'vitest'
import type { Bill } from '../../../server/payments/bill.ts'
import type { Payment } from '../../../server/payments/payment.ts'
import { settleWith } from '../../../server/payments/settle.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Store } from '../../../server/stores/store.ts'

const store: Store = {
  ...{ id: 'store', clientId: 'sbc_1', userId: 'user', storeName: 'Phở Hà', ownerName: '' },
  ...{ identityNumber: '', bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: '0001' },
  ...{ bankAccountName: 'HA', phoneNumber: '', terminalID: 'T1', terminalName: '' },
  ...{ staticQRCode: 'static QR', totalTransaction: 0n, totalAmount: 0n },
}
const bank = { bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: '0001', bankAccountName: 'HA' }
const bill: Bill = {
  ...{ id: 'bill', storeId: 'store', billNumber: 'B1', amount: '50000', qrcode: 'bill QR' },
  ...{ paid: false, shownUntil: 0 },
}
const payment: Payment = {
  ...{ id: 'payment', clientId: 'sbc_1', terminalID: 'T1', bankCode: 'MB', billNumber: 'B1' },
  ...{ amount: '50000', notice: '', paidAt: 0, traceTransfer: '', ftCode: 'FT1', dedupeKey: '' },
  ...{ contentHash: '00'.repeat(32), receivedAt: 1_000_000 },
}
const speaker = { deviceId: 'one', serial: 'SPK-1', active: true, lang: 'vi' } as const
const settle = settleWith(createRandomIds())
const settled = (found: { bill?: Bill; speakers?: (typeof speaker)[] }, paid = payment) =>
  settle(paid, { store, bill: found.bill, speakers: found.speakers ?? [] })

describe('a payment', () => {
  it.each([
    { why: "of the bill's amount", bill, amount: '50000', outcome: 'bill_paid' },
    { why: 'of less', bill, amount: '49999', outcome: 'amount_mismatch' },
    { why: 'of more', bill, amount: '50001', outcome: 'amount_mismatch' },
    { why: 'of a paid bill', bill: { ...bill, paid: true }, amount: '50000', outcome: 'bill_already_paid' },
    {
      why: 'of a paid bill, in part',
      bill: { ...bill, paid: true },
      amount: '1',
      outcome: 'bill_already_paid',
    },
  ])('$why: $outcome, answered with the record of the bill', ({ bill, amount, outcome }) => {
    const decision = settled({ bill }, { ...payment, amount })
    expect(decision).toMatchObject({ outcome })
    expect(decision.answer).toEqual({
      id: 'bill',
      ...bank,
      qrcode: 'bill QR',
      storeId: 'store',
      billNumber: 'B1',
    })
  })

  it.each(['', 'B9'])(
    'without a bill (%j) is one to the static QR, answered with its own id',
    (billNumber) => {
      const decision = settled({}, { ...payment, billNumber })
      expect(decision).toMatchObject({ outcome: 'static_qr' })
      expect(decision.answer).toEqual({
        ...{ id: 'payment', ...bank, qrcode: 'static QR', storeId: 'store', billNumber },
      })
    },
  )

  it('is news for 120 s on every speaker, each in its language, under an id of its own', () => {
    const speakers = [speaker, { ...speaker, deviceId: 'two', lang: 'en' as const }]
    const { announcements } = settle(payment, { store, bill, speakers })
    expect(announcements).toMatchObject([
      { deviceId: 'one', stage: 'queued', lang: 'vi', expiresAt: 1_120_000 },
      { deviceId: 'two', stage: 'queued', lang: 'en', expiresAt: 1_120_000 },
    ])
    expect(new Set(announcements.map(({ id }) => id)).size).toBe(2)
  })

  it('is kept from a locked speaker, on record', () => {
    const speakers = [{ ...speaker, active: false }]
    const { announcements } = settle(payment, { store, bill, speakers })
    expect(announcements).toMatchObject([{ deviceId: 'one', stage: 'suppressed' }])
  })
})
