import type { Announcement, AnnouncementTrail } from '../announcements/announcement.ts'
import type { PlannedAnnouncement } from '../announcements/plan.ts'
import type { Speaker } from '../devices/device.ts'
import type { PaidStore, Store } from '../stores/store.ts'
import type { Bill, QrRecord } from './bill.ts'
import type { Payment, PaymentOutcome } from './payment.ts'

export type BillResult =
  | { kind: 'stored'; bill: Bill; store: Store; speakers: Speaker[] }
  | { kind: 'already_paid' }
  | { kind: 'store_not_found' }

/** Dynamic QR codes, keyed by store and bill number. */
export interface BillRecords {
  /**
   * Stores a bill: new, the same again, or, while it is unpaid, changed. One act.
   * `shownUntil` is renewed by every call, because every call shows the code again.
   */
  put(clientId: string, bill: Omit<Bill, 'paid'>, at: number): Promise<BillResult>
}

/** What storage finds when a payment arrives. */
export interface PaymentSituation {
  store: PaidStore
  bill: Bill | undefined
  speakers: Speaker[]
}

/** What the payment's rules make of it. */
export interface PaymentDecision {
  outcome: PaymentOutcome
  answer: QrRecord
  announcements: PlannedAnnouncement[]
}

export type PaymentResult =
  | {
      kind: 'recorded'
      answer: QrRecord
      outcome: PaymentOutcome
      bill: Bill | undefined
      announcements: Announcement[]
      speakers: Speaker[]
    }
  /** The same payment said the same before: its first answer. */
  | { kind: 'replayed'; answer: QrRecord }
  | { kind: 'conflict' }
  | { kind: 'store_not_found' }

/** A payment as the transaction endpoint shows it. */
export interface PaymentView {
  payment: Payment
  storeId: string
  outcome: PaymentOutcome
  announcements: AnnouncementTrail[]
}

/** Payments, each counted once. */
export interface PaymentRecords {
  /**
   * Records a payment, its store's totals, its bill and its announcements, by the rules of settle.ts, in one durable
   * commit. What is announced to one of `free`, speakers that are idle, is on record as sent by it.
   */
  record(payment: Payment, free?: readonly string[]): Promise<PaymentResult>
  /** The partner's newest payment with that code. */
  findByFtCode(clientId: string, ftCode: string): Promise<PaymentView | undefined>
}
