import type { Payment, PaymentOutcome } from '../../../../payments/payment.ts'
import { type Act, rows, together } from '../../../acts/act.ts'
import type { AnnouncementInsert, SettledPayment } from '../../../acts/payments/recording.ts'
import type { BillRow } from '../../../shared/bill.ts'
import { POSTGRES } from '../../schema/statements.ts'

const { perRow } = POSTGRES

/** Takes row ids for new payments. They rise. */
export function* takePaymentNumbers(count: number): Act<number[]> {
  const taken = yield* rows<{ number: number }>(
    'payments.record numbers',
    "SELECT nextval('payments_number_seq') AS number FROM generate_series(1, $1::integer)",
    [count],
  )
  return taken.map(({ number }) => number)
}

const lockBillsOf = perRow(
  'payments.record bills',
  { storeId: 'text', billNumber: 'text' },
  (_, { from }) =>
    `SELECT b.id, b.store_id AS "storeId", b.bill_number AS "billNumber", b.amount, b.qrcode,
       b.paid_at AS "paidAt", b.shown_until AS "shownUntil"
     FROM bills b WHERE (b.store_id, b.bill_number) IN (SELECT * ${from})
     ORDER BY b.id FOR NO KEY UPDATE`,
)

/** Locks bills and reads them. */
export const lockBills = (keys: readonly { storeId: string; billNumber: string }[]) =>
  lockBillsOf<BillRow>(keys)

export interface KeyRow extends Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey' | 'receivedAt'> {
  rowId: number
}

const insertKeysOf = perRow(
  'payments.record keys',
  {
    ...({ clientId: 'text', ftCode: 'text', dedupeKey: 'text', rowId: 'bigint' } as const),
    ...({ receivedAt: 'bigint' } as const),
  },
  (key, { from }) =>
    `INSERT INTO payment_keys (client_id, ft_code, dedupe_key, payment_number, received_at)
     SELECT * ${from}
     ORDER BY ${key.clientId} COLLATE "C", ${key.ftCode} COLLATE "C", ${key.dedupeKey} COLLATE "C", ${key.rowId}
     ON CONFLICT DO NOTHING
     RETURNING payment_number AS "rowId"`,
)

/**
 * Stores the keys of payments, and returns the row ids of those that are new. Waits for another transaction that stores
 * the same key. Of two in one call, the first one is new.
 */
export function* insertKeys(keys: readonly KeyRow[]): Act<Set<number>> {
  const added = yield* insertKeysOf<{ rowId: number }>(keys)
  return new Set(added.map(({ rowId }) => rowId))
}

/** A payment that was recorded before. Of one that retention has deleted, the hash of its content is left. */
export interface KnownPayment extends Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey' | 'id'> {
  sealed: Buffer | null
  deletedHash: Buffer | null
}

const readKnownOf = perRow(
  'payments.record known',
  { clientId: 'text', ftCode: 'text', dedupeKey: 'text' },
  (_, { from }) =>
    `SELECT k.client_id AS "clientId", k.ft_code AS "ftCode", k.dedupe_key AS "dedupeKey",
       coalesce(p.id, d.id) AS id, p.sealed, d.content_hash AS "deletedHash"
     FROM payment_keys k
       LEFT JOIN payments p ON p.number = k.payment_number
       LEFT JOIN deleted_payments d
         ON (d.client_id, d.ft_code, d.dedupe_key) = (k.client_id, k.ft_code, k.dedupe_key)
     WHERE (k.client_id, k.ft_code, k.dedupe_key) IN (SELECT * ${from})`,
)

/** The payments that were recorded before. */
export const readKnown = (keys: readonly Omit<KeyRow, 'rowId' | 'receivedAt'>[]) =>
  readKnownOf<KnownPayment>(keys)

export interface BillChange {
  id: string
  paidAt: number | undefined
  mark: PaymentOutcome | undefined
}

export interface Totals {
  storeRowId: number
  count: number
  /** Đồng. */
  amount: bigint
}

/** What the payments of a batch write. */
export interface Writes {
  payments: (SettledPayment['row'] & { rowId: number })[]
  announcements: AnnouncementInsert[]
  bills: BillChange[]
  totals: Totals[]
}

const insertPayments = perRow(
  'payments.record payments',
  {
    ...({ rowId: 'bigint', id: 'text', clientId: 'text', storeId: 'text', billId: 'text' } as const),
    ...({ dedupeKey: 'text', outcome: 'text', terminalID: 'text', bankCode: 'text' } as const),
    ...({ billNumber: 'text', amount: 'bigint', paidAt: 'bigint', traceTransfer: 'text' } as const),
    ...({ ftCode: 'text', sealed: 'bytea', receivedAt: 'bigint' } as const),
  },
  (_, { from }) =>
    `INSERT INTO payments (number, id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code,
       bill_number, amount, paid_at, trace_transfer, ft_code, sealed, received_at) SELECT * ${from}`,
)
const insertAnnouncements = perRow(
  'payments.record announcements',
  {
    ...({ id: 'text', deviceRowId: 'bigint', paymentRowId: 'bigint', n: 'bigint', stage: 'text' } as const),
    ...({ amount: 'bigint', paidBill: 'text', lang: 'text', expiresAt: 'bigint' } as const),
    ...({ queuedAt: 'bigint', sentAt: 'bigint', suppressedAt: 'bigint' } as const),
  },
  (_, { from }) =>
    `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at,
       queued_at, sent_at, suppressed_at) SELECT * ${from}`,
)
const changeBills = perRow(
  'payments.record bill changes',
  { id: 'text', paidAt: 'bigint', mark: 'text' },
  (bill, { from }) =>
    `UPDATE bills SET paid_at = coalesce(${bill.paidAt}, paid_at), mark = coalesce(${bill.mark}, bills.mark)
     ${from} WHERE bills.id = ${bill.id}`,
)
const addToTotals = perRow(
  'payments.record totals',
  { storeRowId: 'bigint', count: 'bigint', amount: 'bigint' },
  ({ storeRowId }, { from }) =>
    `INSERT INTO store_totals AS t (store_number, total_transaction, total_amount)
     SELECT * ${from} ORDER BY ${storeRowId}
     ON CONFLICT (store_number) DO UPDATE SET
       total_transaction = t.total_transaction + excluded.total_transaction,
       total_amount = t.total_amount + excluded.total_amount`,
)

/** Sends all statements together. They run in their order. */
export function* write({ payments, announcements, bills, totals }: Writes): Act<void> {
  yield* together(
    insertPayments(payments),
    insertAnnouncements(announcements),
    changeBills(bills),
    addToTotals(totals),
  )
}
