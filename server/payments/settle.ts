import { planAnnouncements } from '../announcements/plan.ts'
import type { Ids } from '../ids.ts'
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
  return {
    outcome: outcomeOf(payment, bill),
    answer: bill ? recordOfBill(bill, store) : recordOfStaticQr(payment, store),
    announcements: planAnnouncements(payment, speakers, ids),
  }
}

function outcomeOf(payment: Payment, bill: Bill | undefined): PaymentOutcome {
  if (!bill) return 'static_qr'
  if (bill.paid) return 'bill_already_paid'
  return bill.amount === payment.amount ? 'bill_paid' : 'amount_mismatch'
}

/** The record of a bill's dynamic QR. */
export function recordOfBill(bill: Bill, store: PaidStore): QrRecord {
  return {
    id: bill.id,
    ...bankOf(store),
    qrcode: bill.qrcode,
    storeId: store.id,
    billNumber: bill.billNumber,
  }
}

/** A payment without a bill was made to the shop's static QR. */
function recordOfStaticQr(payment: Payment, store: PaidStore): QrRecord {
  return {
    id: payment.id,
    ...bankOf(store),
    qrcode: store.staticQRCode,
    storeId: store.id,
    billNumber: payment.billNumber,
  }
}

function bankOf({ bankName, bankCode, bankAccountNumber, bankAccountName }: PaidStore) {
  return { bankName, bankCode, bankAccountNumber, bankAccountName }
}
