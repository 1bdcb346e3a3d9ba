import { planAnnouncements } from '../announcements/plan.ts'
import type { Ids } from '../platform/ids.ts'
import type { PaidStore } from '../stores/store.ts'
import type { Bill, QrRecord } from './bill.ts'
import type { Payment, PaymentOutcome } from './payment.ts'
import type { PaymentDecision, PaymentSituation } from './ports.ts'

/** What a payment means for its bill, what it answers, and what is to be spoken. */
export function settle(
  payment: Payment,
  found: PaymentSituation,
  ids: Pick<Ids, 'commandId'>,
): PaymentDecision {
  const { store, bill, speakers } = found
  const outcome = outcomeOf(payment, bill)
  // Only what was paid in full may be called paid on a screen.
  const paidBill = outcome === 'bill_paid' ? payment.billNumber : ''
  return {
    outcome,
    // A payment without a bill was made to the shop's static QR.
    answer: bill
      ? qrRecord(store, bill)
      : qrRecord(store, { id: payment.id, qrcode: store.staticQRCode, billNumber: payment.billNumber }),
    announcements: planAnnouncements({ receivedAt: payment.receivedAt, paidBill }, speakers, ids),
  }
}

function outcomeOf(payment: Payment, bill: Bill | undefined): PaymentOutcome {
  if (!bill) return 'static_qr'
  if (bill.paid) return 'bill_already_paid'
  return bill.amount === payment.amount ? 'bill_paid' : 'amount_mismatch'
}

/** The record of a QR that the store's money came by. */
export function qrRecord(
  store: PaidStore,
  { id, qrcode, billNumber }: Pick<QrRecord, 'id' | 'qrcode' | 'billNumber'>,
): QrRecord {
  const { bankName, bankCode, bankAccountNumber, bankAccountName } = store
  return { id, bankName, bankCode, bankAccountNumber, bankAccountName, qrcode, storeId: store.id, billNumber }
}
