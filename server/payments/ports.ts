import type {
  Announcement,
  AnnouncementTrail,
  PlannedAnnouncement,
  Stage,
} from '../announcements/announcement.ts'
import type { FreeSpeaker } from '../announcements/ports.ts'
import type { Speaker } from '../devices/device.ts'
import type { Page, PageRequest } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { PaidStore, Store } from '../stores/store.ts'
import type { Bill, QrRecord } from './bill.ts'
import type { ResultSum } from './day-sum.ts'
import type { Payment, PaymentOutcome } from './payment.ts'

export type BillResult =
  | { kind: 'stored'; bill: Bill; store: Store; speakers: Speaker[] }
  | { kind: 'already_paid' }
  | { kind: 'store_not_found' }

/** Dynamic QR codes, keyed by store and bill number. */
export interface BillRecords {
  /**
   * Creates a bill, or changes an unpaid one. One transaction.
   * Every call renews `shownUntil`, because every call shows the code again.
   */
  put(clientId: string, bill: Omit<Bill, 'paid'>, at: number): Promise<BillResult>
}

/** The stored data that a payment's rules need. */
export interface PaymentSituation {
  store: PaidStore
  bill: Bill | undefined
  speakers: Speaker[]
}

/** The decision of the payment's rules. */
export interface PaymentDecision {
  outcome: PaymentOutcome
  answer: QrRecord
  announcements: PlannedAnnouncement[]
}

export type PaymentResult =
  | {
      kind: 'recorded'
      answer: QrRecord
      announcements: Announcement[]
      /** The bill that it has paid, and the speakers of the store, which may show that bill. */
      paidBill?: { id: string; deviceIds: string[] } | undefined
    }
  /** The payment was reported before with the same content: its first answer. */
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

/** The stored payments. Each is counted once. */
export interface PaymentRecords {
  /**
   * Records a payment, its store's totals, its bill and its announcements, by the rules of settle.ts, in one durable
   * commit. It stores the announcements to `free` speakers as sent, if they are still owned by that session, and if
   * nobody has been given a number above the known one.
   */
  record(payment: Payment, free?: readonly FreeSpeaker[]): Promise<PaymentResult>
  /** The partner's newest payment with that code. */
  findByFtCode(clientId: string, ftCode: string): Promise<PaymentView | undefined>
  /**
   * Opens what is sealed of one payment, for a person, whose audit row is in the same commit. `cursor` is its place in the
   * lists. Undefined when there is no such payment (any more); then nobody is told anything, and nothing is written.
   */
  unseal(by: Actor, payment: { id: string; cursor: string }, at: number): Promise<Unsealed | undefined>
  /**
   * Adds the next payments to the sums of their shops, each once; in them is what is known some time after it came.
   * Returns whether there is more to do at once.
   */
  sumUp(at: number): Promise<boolean>
}

/** The sums of a shop's payments. */
export interface StoreSum extends ResultSum {
  /** Rises with the stores. 0: all of the partner's. */
  storeNumber: number
}

/** The personal data of a payment. */
export interface Unsealed
  extends Pick<QrRecord, 'bankName' | 'bankCode' | 'bankAccountNumber' | 'bankAccountName'> {
  /** What the payer wrote. */
  notice: string
}

/** Which payments a list has; what is left out does not matter. */
export interface PaymentFilter {
  clientId?: string | undefined
  storeId?: string | undefined
  terminalID?: string | undefined
  /** Announced by the device with this serial. */
  serial?: string | undefined
  /** The payment's id, its `traceTransfer` or its bill number. */
  code?: string | undefined
  id?: string | undefined
  /** Only together with `clientId`. */
  ftCode?: string | undefined
  traceTransfer?: string | undefined
  billNumber?: string | undefined
  bankCode?: string | undefined
  outcome?: PaymentOutcome | undefined
  /** One of its announcements is in this stage. */
  stage?: Stage | undefined
  /** Đồng; both are included. */
  minAmount?: number | undefined
  maxAmount?: number | undefined
  /** The time when its callback arrived; `until` is not included. */
  from?: number | undefined
  until?: number | undefined
}

/** The payments of a store whose announcements are in the same stages. */
export interface StageSum {
  storeId: string
  terminalID: string
  storeName: string
  /** The stages of their announcements, each once. */
  stages: Stage[]
  count: number
  /** Đồng. */
  amount: bigint
}

/** Whose payments are added up, and of which time. */
export interface SumFilter {
  clientId: string
  /** As in a PaymentFilter. */
  from: number
  until: number
  /** Store ids from here on. Those that are made later are higher. */
  leastStoreId: string
  /** Store ids below this one. */
  belowStoreId: string
}

/** One of the newest payments of all partners, without what is sealed. */
export interface NewestPayment
  extends Pick<Payment, 'id' | 'clientId' | 'terminalID' | 'amount' | 'receivedAt'>,
    Pick<PaymentView, 'storeId' | 'announcements'> {
  storeName: string
}

/** What became of a payment's announcements. */
export interface PaymentFate {
  receivedAt: number
  /** The stages of its announcements, each once. */
  stages: Stage[]
  /** When the first speaker had played it. */
  playedAt: number | undefined
}

/** Lists of payments, for people and for partners. */
export interface PaymentLists {
  /**
   * Payments in the order in which they were stored. Around an hour at which the clock was set back, `from` and `until`
   * may miss some.
   */
  page(filter: PaymentFilter, page: PageRequest): Promise<Page<PaymentView>>
  /** The payments with that code, of all partners; of each partner the newest ones. */
  findByFtCode(ftCode: string): Promise<PaymentView[]>
  /**
   * Adds up a bounded number of payments; a store may come several times. `after` is the `next` of the call before.
   * Undefined at the end.
   */
  addUp(filter: SumFilter, after: string | undefined): Promise<{ sums: StageSum[]; next: string | undefined }>
  /** Payments of all partners, in the order of `page`. */
  newest(page: PageRequest): Promise<Page<NewestPayment>>
  /** The same payments, as far as a count of results needs them. */
  fates(page: PageRequest): Promise<Page<PaymentFate>>
  /** How many payments were stored after the one with this cursor; `most` at most. */
  countAfter(cursor: string, most: number): Promise<number>
  /** How far the sums are. Between two equal revisions, they and `upTo` have not changed. */
  sumState(): Promise<{ revision: number; upTo: number }>
  /**
   * Sums of a partner's shops whose number is from `least` on and below `below`, for whole quarters of an hour. A shop comes
   * several times. Of each quarter those with the highest numbers: the first fifty shops are complete.
   */
  summed(which: {
    clientId: string
    from: number
    until: number
    least: number
    below: number
  }): Promise<StoreSum[]>
  /** Adds up a bounded number of payments of all partners that are not in the sums up to `upTo`; `after` as in `addUp`. */
  unsummed(
    range: { from: number; until: number; upTo: number },
    after: string | undefined,
  ): Promise<{ sums: (StoreSum & { clientId: string })[]; next: string | undefined }>
}
