import type { Bill } from '../../../payments/bill.ts'
import type { Payment, PaymentOutcome } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import {
  type AnnouncementInsert,
  createSettle,
  numberAnnouncement,
  observedRecord,
  type Recorded,
  type SettledPayment,
  speakerOf,
} from '../../acts/payments/recording.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type BillRow, toBill } from '../../shared/bill.ts'
import { createPaymentSealer, sealedFields } from '../../shared/sealed-columns.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { DeletedPayments } from '../rows/deleted-payments.ts'
import type { SqliteDeviceStates } from '../rows/device-states.ts'
import type { PaymentDigests } from '../rows/payment-digests.ts'
import { createStoreTotals, type StoreCache } from '../rows/stores.ts'

/** The statements of a payment's commit. They are no steps of an act, which would cost some µs of each payment. */
function prepare({ sqlite }: OpenDatabase) {
  return {
    known: sqlite.prepare<
      [clientId: string, ftCode: string, dedupeKey: string],
      { id: string; sealed: Buffer }
    >('SELECT id, sealed FROM payments WHERE client_id = ? AND ft_code = ? AND dedupe_key = ?'),
    bill: sqlite.prepare<[storeId: string, billNumber: string], BillRow>(
      `SELECT id, store_id AS storeId, bill_number AS billNumber, amount, qrcode,
         paid_at AS paidAt, shown_until AS shownUntil
       FROM bills WHERE store_id = ? AND bill_number = ?`,
    ),
    insertPayment: sqlite.prepare<SettledPayment['row']>(
      `INSERT INTO payments (id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code,
         bill_number, amount, paid_at, trace_transfer, ft_code, sealed, received_at)
       VALUES (@id, @clientId, @storeId, @billId, @dedupeKey, @outcome, @terminalID, @bankCode,
         @billNumber, @amount, @paidAt, @traceTransfer, @ftCode, @sealed, @receivedAt)
       ON CONFLICT (client_id, ft_code, dedupe_key) DO NOTHING`,
    ),
    payBill: sqlite.prepare<[at: number, id: string]>('UPDATE bills SET paid_at = ? WHERE id = ?'),
    markBill: sqlite.prepare<[mark: PaymentOutcome, id: string]>('UPDATE bills SET mark = ? WHERE id = ?'),
    insertAnnouncement: sqlite.prepare<AnnouncementInsert>(
      `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang,
         expires_at, queued_at, sent_at, suppressed_at)
       VALUES (@id, @deviceRowId, @paymentRowId, @n, @stage, @amount, @paidBill, @lang,
         @expiresAt, @queuedAt, @sentAt, @suppressedAt)`,
    ),
  }
}

interface Parts {
  storeCache: StoreCache
  states: SqliteDeviceStates
  digests: PaymentDigests
  deleted: DeletedPayments
}

/** Records a payment in one commit: the payment, its store's totals, its bill and its announcements. */
export function createRecordPayment(
  database: OpenDatabase,
  vault: Vault,
  { storeCache, states, digests, deleted }: Parts,
  rules: Pick<StorageRules, 'settle' | 'repeatOfDeleted'>,
  observer: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  const statements = prepare(database)
  const addToTotals = createStoreTotals(database.sqlite)
  const sealer = createPaymentSealer(vault)
  const sealedBills = sealedFields(vault, 'bills')
  const settle = createSettle(vault, rules)

  function markBill(bill: Bill | undefined, outcome: PaymentOutcome, at: number) {
    if (!bill || outcome === 'static_qr') return
    if (outcome === 'bill_paid') statements.payBill.run(at, bill.id)
    else statements.markBill.run(outcome, bill.id)
  }

  /** The answer to a payment that was recorded before. Undefined when it was not, or when its content was another. */
  function firstAnswer({ clientId, ftCode, dedupeKey, contentHash }: Payment): PaymentResult | undefined {
    const known = statements.known.get(clientId, ftCode, dedupeKey)
    const first = known && sealer.open(known.id, known.sealed)
    return first?.contentHash === contentHash ? { kind: 'replayed', answer: first.answer } : undefined
  }

  const unrecorded = (result: PaymentResult): Recorded => ({ result, planned: [] })

  return observedRecord(
    (payment, free) =>
      database.commits.write((): Recorded => {
        const { clientId, terminalID, billNumber, receivedAt } = payment
        const till = storeCache(clientId, terminalID)
        if (!till) return unrecorded(firstAnswer(payment) ?? { kind: 'store_not_found' })

        const { store } = till
        const billRow = billNumber === '' ? undefined : statements.bill.get(store.id, billNumber)
        const bill = billRow && toBill(sealedBills, billRow)
        const known = deleted.find(payment)
        if (known) return unrecorded(rules.repeatOfDeleted(payment, known, { store, bill }))
        const { row, planned, recorded } = settle(payment, till, bill)

        // Inserted without a look first: almost every payment is new, and for a known one the same index refuses it.
        const { changes, lastInsertRowid } = statements.insertPayment.run(row)
        if (changes === 0) return unrecorded(firstAnswer(payment) ?? { kind: 'conflict' })
        const paymentRowId = Number(lastInsertRowid)
        digests.stored(paymentRowId)
        addToTotals(till.storeRowId, row.amount)
        markBill(bill, row.outcome, receivedAt)
        const announcements = planned.flatMap((one) => {
          const { speaker, deviceRowId } = speakerOf(till, one)
          const device = states.of(deviceRowId)
          const numbered = numberAnnouncement(one, payment, paymentRowId, speaker, device, free)
          statements.insertAnnouncement.run(numbered.row)
          if (numbered.row.n !== null) states.storeNumber(device)
          return numbered.announcement
        })
        return { result: recorded(announcements), planned }
      }),
    observer,
  )
}
