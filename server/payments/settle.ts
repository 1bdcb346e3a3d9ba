import { planAnnouncements } from '../announcements/announcement.ts'
import type { Ids } from '../platform/ids.ts'
import type { PaidStore } from '../stores/store.ts'
import type { Bill, QrRecord } from './bill.ts'
import type { Payment, PaymentOutcome } from './payment.ts'
import type { PaymentDecision, PaymentResult, PaymentSituation } from './ports.ts'

/** Decides a payment's outcome for its bill, its answer and its announcements, whose ids it makes. */
export function settleWith(ids: Pick<Ids, 'commandId'>) {
  return function settle(payment: Payment, found: PaymentSituation): PaymentDecision {
    const { bill, speakers } = found
    const outcome = outcomeOf(payment, bill)
    // A screen shows a bill as paid only when it was paid in full.
    const paidBill = outcome === 'bill_paid' ? payment.billNumber : ''
    return {
      outcome,
      answer: answerTo(payment, found),
      announcements: planAnnouncements({ receivedAt: payment.receivedAt, paidBill }, speakers, ids),
    }
  }
}

/**
 * Decides about a repeat of a payment that retention has deleted. Its first answer is gone: this one has the first one's id,
 * and the fields of the store and of the bill as they are now.
 */
export function repeatOfDeleted(
  payment: Payment,
  deleted: Pick<Payment, 'id' | 'contentHash'>,
  found: Pick<PaymentSituation, 'store' | 'bill'>,
): PaymentResult {
  return deleted.contentHash === payment.contentHash
    ? { kind: 'replayed', answer: answerTo({ ...payment, id: deleted.id }, found) }
    : { kind: 'conflict' }
}

/** A payment without a bill was made to the shop's static QR. */
function answerTo(
  { id, billNumber }: Pick<Payment, 'id' | 'billNumber'>,
  { store, bill }: Pick<PaymentSituation, 'store' | 'bill'>,
): QrRecord {
  return qrRecord(store, bill ?? { id, qrcode: store.staticQRCode, billNumber })
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
