import type { Announcement } from '../../../announcements/announcement.ts'
import type { PlannedAnnouncement } from '../../../announcements/plan.ts'
import type { FreeSpeaker } from '../../../announcements/ports.ts'
import type { Stage } from '../../../announcements/stages.ts'
import type { Bill } from '../../../payments/bill.ts'
import type { Payment, PaymentOutcome } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type BillRow, toBill } from '../../shared/bill.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { createPaymentSealer } from '../../shared/sealed-payment.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { CommandNumbers } from '../rows/command-numbers.ts'
import type { DeletedPayments } from '../rows/deleted-payments.ts'
import type { Owners } from '../rows/owners.ts'
import type { PaymentDigests } from '../rows/payment-digests.ts'
import type { StoreCache } from '../rows/store-cache.ts'
import { createStoreTotals } from '../rows/store-totals.ts'

/** The statements of a payment's commit. */
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
    insertPayment: sqlite.prepare<PaymentRow>(
      `INSERT INTO payments (id, client_id, store_id, bill_id, dedupe_key, outcome, terminal_id, bank_code,
         bill_number, amount, paid_at, trace_transfer, ft_code, sealed, received_at)
       VALUES (@id, @clientId, @storeId, @billId, @dedupeKey, @outcome, @terminalID, @bankCode,
         @billNumber, @amount, @paidAt, @traceTransfer, @ftCode, @sealed, @receivedAt)
       ON CONFLICT (client_id, ft_code, dedupe_key) DO NOTHING`,
    ),
    payBill: sqlite.prepare<[at: number, id: string]>('UPDATE bills SET paid_at = ? WHERE id = ?'),
    markBill: sqlite.prepare<[mark: PaymentOutcome, id: string]>('UPDATE bills SET mark = ? WHERE id = ?'),
    insertAnnouncement: sqlite.prepare<AnnouncementRow>(
      `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang,
         expires_at, queued_at, sent_at, suppressed_at)
       VALUES (@id, @deviceRowId, @paymentRowId, @n, @stage, @amount, @paidBill, @lang,
         @expiresAt, @queuedAt, @sentAt, @suppressedAt)`,
    ),
  }
}

type PaymentRow = Omit<Payment, 'amount' | 'contentHash' | 'notice'> & {
  amount: number
  storeId: string
  billId: string | null
  outcome: PaymentOutcome
  sealed: Buffer
}

type AnnouncementRow = Omit<PlannedAnnouncement, 'deviceId' | 'stage'> & {
  deviceRowId: number
  paymentRowId: number | bigint
  n: number | null
  stage: Stage
  amount: number
  queuedAt: number
  sentAt: number | null
  suppressedAt: number | null
}

/** Records a payment in one commit: the payment, its store's totals, its bill and its announcements. */
export function createRecordPayment(
  database: OpenDatabase,
  vault: Vault,
  {
    storeCache,
    numbers,
    owners,
    digests,
    deleted,
  }: {
    storeCache: StoreCache
    numbers: CommandNumbers
    owners: Owners
    digests: PaymentDigests
    deleted: DeletedPayments
  },
  { settle, repeatOfDeleted }: Pick<StorageRules, 'settle' | 'repeatOfDeleted'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  const statements = prepare(database)
  const addToTotals = createStoreTotals(database.sqlite)
  const sealer = createPaymentSealer(vault)
  const sealedBills = sealedFields(vault, 'bills')

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

  /** Stores one announcement with its number. Undefined when it is suppressed: then nothing is sent. */
  function addAnnouncement(
    planned: PlannedAnnouncement,
    { receivedAt, amount }: Payment,
    paymentRowId: number | bigint,
    to: { serial: string; deviceRowId: number; free: FreeSpeaker | undefined },
  ): Announcement | undefined {
    const { id, deviceId, lang, paidBill, expiresAt } = planned
    const { serial, deviceRowId, free } = to
    const isQueued = planned.stage === 'queued'
    const n = isQueued ? numbers.take(deviceRowId) : null
    // A lower number that its hub does not know may be another announcement, which must be sent first.
    const isFree = free && n === free.knownNumber + 1 && owners.rowIdOf(free) !== undefined
    const stage = isFree ? 'sent' : planned.stage
    statements.insertAnnouncement.run({
      ...{ id, deviceRowId, paymentRowId, n, stage, lang, paidBill, expiresAt },
      amount: Number(amount),
      queuedAt: receivedAt,
      sentAt: stage === 'sent' ? receivedAt : null,
      suppressedAt: isQueued ? null : receivedAt,
    })
    return n === null ? undefined : { id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }
  }

  return async function record(payment, free = []) {
    const askedAt = performance.now()
    let planned: PlannedAnnouncement[] = []
    const result = await database.commits.write((): PaymentResult => {
      const { clientId, terminalID, billNumber, notice, contentHash, receivedAt } = payment
      const cached = storeCache(clientId, terminalID)
      if (!cached) return firstAnswer(payment) ?? { kind: 'store_not_found' }

      const { store } = cached
      const billRow = billNumber === '' ? undefined : statements.bill.get(store.id, billNumber)
      const bill = billRow && toBill(sealedBills, billRow)
      const known = deleted.find(payment)
      if (known) return repeatOfDeleted(payment, known, { store, bill })
      const speakers = cached.speakers.map(({ speaker }) => speaker)
      const { outcome, answer, announcements } = settle(payment, { store, bill, speakers })

      // Inserted without a look first: almost every payment is new, and for a known one the same index refuses it.
      const { changes, lastInsertRowid: paymentRowId } = statements.insertPayment.run({
        ...payment,
        amount: Number(payment.amount),
        storeId: store.id,
        billId: bill?.id ?? null,
        outcome,
        sealed: sealer.seal(payment.id, { answer, notice, contentHash }),
      })
      if (changes === 0) return firstAnswer(payment) ?? { kind: 'conflict' }
      planned = announcements
      digests.stored(Number(paymentRowId))
      addToTotals(cached.storeRowId, Number(payment.amount))
      markBill(bill, outcome, receivedAt)
      const queued = announcements.flatMap((one) => {
        const to = cached.speakers.find(({ speaker }) => speaker.deviceId === one.deviceId)
        if (!to) throw new Error('an announcement is for a speaker of the store')
        const { serial, deviceId } = to.speaker
        const where = {
          serial,
          deviceRowId: to.deviceRowId,
          free: free.find((one) => one.deviceId === deviceId),
        }
        return addAnnouncement(one, payment, paymentRowId, where) ?? []
      })
      const deviceIds = () => speakers.map(({ deviceId }) => deviceId)
      const paidBill = bill && outcome === 'bill_paid' ? { id: bill.id, deviceIds: deviceIds() } : undefined
      return { kind: 'recorded', answer, announcements: queued, paidBill }
    })
    if (result.kind !== 'recorded') return result
    for (const { stage } of planned) observe(stage, 0)
    const sentAfterMs = performance.now() - askedAt
    for (const { stage } of result.announcements) if (stage === 'sent') observe(stage, sentAfterMs)
    return result
  }
}
