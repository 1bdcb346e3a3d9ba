import { planAnnouncements } from '../announcements/plan.ts'
import type { Ids } from '../platform/ids.ts'
import type { PaidStore } from '../stores/store.ts'
import type { Bill, QrRecord } from './bill.ts'
import type { Payment, PaymentOutcome } from './payment.ts'
import type { PaymentDecision, PaymentSituation } from './ports.ts'

/** Decides a payment's outcome for its bill, its answer and its announcements. */
export function settle(
  payment: Payment,
  found: PaymentSituation,
  ids: Pick<Ids, 'commandId'>,
): PaymentDecision {
  const { store, bill, speakers } = found
  const outcome = outcomeOf(payment, bill)
  // A screen shows a bill as paid only when it was paid in full.
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

/** The answer for a bill, or for the store's static QR. */
export function qrRecord(
  store: PaidStore,
  { id, qrcode, billNumber }: Pick<QrRecord, 'id' | 'qrcode' | 'billNumber'>,
): QrRecord {
  const { bankName, bankCode, bankAccountNumber, bankAccountName } = store
  return { id, bankName, bankCode, bankAccountNumber, bankAccountName, qrcode, storeId: store.id, billNumber }
}
