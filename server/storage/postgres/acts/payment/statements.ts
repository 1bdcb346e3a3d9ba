import type { Stage } from '../../../../announcements/stages.ts'
import type { Payment, PaymentOutcome } from '../../../../payments/payment.ts'
import type { BillRow } from '../../../shared/bill.ts'
import type { Tx } from '../../engine/database.ts'
import { columns } from '../../rows/columns.ts'

/** Takes row ids for new payments. They rise. */
export async function takePaymentNumbers(tx: Tx, count: number): Promise<number[]> {
  const rows = await tx.query<{ number: number }>(
    'payments.record numbers',
    "SELECT nextval('payments_number_seq') AS number FROM generate_series(1, $1::integer)",
    [count],
  )
  return rows.map(({ number }) => number)
}

/** Locks bills and reads them. */
export async function lockBills(
  tx: Tx,
  keys: readonly { storeId: string; billNumber: string }[],
): Promise<BillRow[]> {
  if (keys.length === 0) return []
  return await tx.query<BillRow>(
    'payments.record bills',
    `SELECT b.id, b.store_id AS "storeId", b.bill_number AS "billNumber", b.amount, b.qrcode,
       b.paid_at AS "paidAt", b.shown_until AS "shownUntil"
     FROM bills b
     WHERE (b.store_id, b.bill_number) IN (SELECT * FROM unnest($1::text[], $2::text[]))
     ORDER BY b.id FOR NO KEY UPDATE`,
    columns(keys, 'storeId', 'billNumber'),
  )
}

export interface KeyRow extends Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey' | 'receivedAt'> {
  rowId: number
}

/**
 * Stores the keys of payments, and returns the row ids of those that are new. Waits for another transaction that stores
 * the same key. Of two in one call, the first one is new.
 */
export async function insertKeys(tx: Tx, keys: readonly KeyRow[]): Promise<Set<number>> {
  if (keys.length === 0) return new Set()
  const rows = await tx.query<{ rowId: number }>(
    'payments.record keys',
    `INSERT INTO payment_keys (client_id, ft_code, dedupe_key, payment_number, received_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
       AS k(client_id, ft_code, dedupe_key, payment_number, received_at)
     ORDER BY client_id COLLATE "C", ft_code COLLATE "C", dedupe_key COLLATE "C", payment_number
     ON CONFLICT DO NOTHING
     RETURNING payment_number AS "rowId"`,
    columns(keys, 'clientId', 'ftCode', 'dedupeKey', 'rowId', 'receivedAt'),
  )
  return new Set(rows.map(({ rowId }) => rowId))
}

/** A payment that was recorded before. Of one that retention has deleted, the hash of its content is left. */
export interface KnownPayment extends Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey' | 'id'> {
  sealed: Buffer | null
  deletedHash: Buffer | null
}

/** The payments that were recorded before. */
export async function readKnown(
  tx: Tx,
  keys: readonly Omit<KeyRow, 'rowId' | 'receivedAt'>[],
): Promise<KnownPayment[]> {
  if (keys.length === 0) return []
  return await tx.query(
    'payments.record known',
    `SELECT k.client_id AS "clientId", k.ft_code AS "ftCode", k.dedupe_key AS "dedupeKey",
       coalesce(p.id, d.id) AS id, p.sealed, d.content_hash AS "deletedHash"
     FROM payment_keys k
       LEFT JOIN payments p ON p.number = k.payment_number
       LEFT JOIN deleted_payments d
         ON (d.client_id, d.ft_code, d.dedupe_key) = (k.client_id, k.ft_code, k.dedupe_key)
     WHERE (k.client_id, k.ft_code, k.dedupe_key) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
    columns(keys, 'clientId', 'ftCode', 'dedupeKey'),
  )
}

export type PaymentInsert = Omit<Payment, 'contentHash' | 'notice'> & {
  rowId: number
  storeId: string
  billId: string | undefined
  outcome: PaymentOutcome
  sealed: Buffer
}

export interface AnnouncementInsert {
  id: string
  deviceRowId: number
  paymentRowId: number
  n: number | undefined
  stage: Stage
  amount: string
  paidBill: string
  lang: string
  expiresAt: number
  queuedAt: number
  sentAt: number | undefined
  suppressedAt: number | undefined
}

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
  payments: PaymentInsert[]
  announcements: AnnouncementInsert[]
  bills: BillChange[]
  totals: Totals[]
}

/** Sends all statements together. They run in their order. */
export async function write(tx: Tx, { payments, announcements, bills, totals }: Writes): Promise<void> {
  const sent: Promise<unknown>[] = []
  if (payments.length > 0)
    sent.push(
      tx.query(
        'payments.record payments',
        `INSERT INTO payments (number, id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code,
           bill_number, amount, paid_at, trace_transfer, ft_code, sealed, received_at)
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
           $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::text[], $15::bytea[],
           $16::bigint[])`,
        [
          ...columns(payments, 'rowId', 'id', 'clientId', 'storeId', 'billId', 'dedupeKey', 'outcome'),
          ...columns(payments, 'terminalID', 'bankCode', 'billNumber', 'amount', 'paidAt', 'traceTransfer'),
          ...columns(payments, 'ftCode', 'sealed', 'receivedAt'),
        ],
      ),
    )
  if (announcements.length > 0)
    sent.push(
      tx.query(
        'payments.record announcements',
        `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at,
           queued_at, sent_at, suppressed_at)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[],
           $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])`,
        [
          ...columns(announcements, 'id', 'deviceRowId', 'paymentRowId', 'n', 'stage', 'amount', 'paidBill'),
          ...columns(announcements, 'lang', 'expiresAt', 'queuedAt', 'sentAt', 'suppressedAt'),
        ],
      ),
    )
  if (bills.length > 0)
    sent.push(
      tx.query(
        'payments.record bill changes',
        `UPDATE bills b SET paid_at = coalesce(v.paid_at, b.paid_at), mark = coalesce(v.mark, b.mark)
         FROM unnest($1::text[], $2::bigint[], $3::text[]) AS v(id, paid_at, mark) WHERE b.id = v.id`,
        columns(bills, 'id', 'paidAt', 'mark'),
      ),
    )
  if (totals.length > 0)
    sent.push(
      tx.query(
        'payments.record totals',
        `INSERT INTO store_totals AS t (store_number, total_transaction, total_amount)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(store_number, payments, amount)
         ORDER BY store_number
         ON CONFLICT (store_number) DO UPDATE SET
           total_transaction = t.total_transaction + excluded.total_transaction,
           total_amount = t.total_amount + excluded.total_amount`,
        columns(totals, 'storeRowId', 'count', 'amount'),
      ),
    )
  await Promise.all(sent)
}
