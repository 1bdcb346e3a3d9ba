import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Announcement } from '../../../announcements/announcement.ts'
import type { PlannedAnnouncement } from '../../../announcements/plan.ts'
import type { Bill } from '../../../payments/bill.ts'
import type { Payment, PaymentOutcome } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver, StorageRules } from '../../ports.ts'
import { bareInsert, bareRead, bareWrite } from '../engine/bare.ts'
import type { OpenDatabase, Orm } from '../engine/database.ts'
import type { DeviceNumbers } from '../rows/command-numbers.ts'
import { createPaymentSealer } from '../rows/sealed-payment.ts'
import type { Tills } from '../rows/store-cache.ts'
import { createStoreTotals } from '../rows/store-totals.ts'
import { announcements, bills, payments } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'
import { toBill } from './bill-records.ts'

const value = sql.placeholder

/** The statements of a payment's commit, prepared once: this is the path that must be fast. */
function prepare(orm: Orm) {
  const known = { id: payments.id, sealed: payments.sealed }
  const bill = getTableColumns(bills)
  return {
    known: bareRead(
      orm,
      known,
      orm
        .select(known)
        .from(payments)
        .where(
          and(
            eq(payments.clientId, value('clientId')),
            eq(payments.ftCode, value('ftCode')),
            eq(payments.dedupeKey, value('dedupeKey')),
          ),
        ),
    ),
    bill: bareRead(
      orm,
      bill,
      orm
        .select(bill)
        .from(bills)
        .where(and(eq(bills.storeId, value('storeId')), eq(bills.billNumber, value('billNumber')))),
    ),
    insertPayment: bareInsert(
      orm,
      orm
        .insert(payments)
        .values({
          id: value('id'),
          clientId: value('clientId'),
          storeId: value('storeId'),
          billId: value('billId'),
          dedupeKey: value('dedupeKey'),
          outcome: value('outcome'),
          terminalID: value('terminalID'),
          bankCode: value('bankCode'),
          billNumber: value('billNumber'),
          amount: value('amount'),
          paidAt: value('paidAt'),
          traceTransfer: value('traceTransfer'),
          ftCode: value('ftCode'),
          sealed: value('sealed'),
          receivedAt: value('receivedAt'),
        })
        .onConflictDoNothing({ target: [payments.clientId, payments.ftCode, payments.dedupeKey] }),
    ),
    payBill: bareWrite(
      orm,
      orm
        .update(bills)
        .set({ paidAt: sql`${value('at')}` })
        .where(eq(bills.id, value('id'))),
    ),
    markBill: bareWrite(
      orm,
      orm
        .update(bills)
        .set({ mark: sql`${value('mark')}` })
        .where(eq(bills.id, value('id'))),
    ),
    insertAnnouncement: bareWrite(
      orm,
      orm.insert(announcements).values({
        id: value('id'),
        deviceNumber: value('deviceNumber'),
        paymentNumber: value('paymentNumber'),
        n: value('n'),
        stage: value('stage'),
        amount: value('amount'),
        paidBill: value('paidBill'),
        lang: value('lang'),
        expiresAt: value('expiresAt'),
        queuedAt: value('queuedAt'),
        sentAt: value('sentAt'),
        suppressedAt: value('suppressedAt'),
      }),
    ),
  }
}

/** Records a payment in one commit: the payment, its store's totals, its bill, and what is to be spoken. */
export function recordPayment(
  { orm, commits }: OpenDatabase,
  vault: Vault,
  { tills, numbers }: { tills: Tills; numbers: DeviceNumbers },
  { settle }: Pick<StorageRules, 'settle'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  const statements = prepare(orm)
  const totals = createStoreTotals(orm)
  const sealer = createPaymentSealer(vault)
  const sealedBills = sealedFields(vault, 'bills')

  function markBill(bill: Bill | undefined, outcome: PaymentOutcome, at: number) {
    if (!bill || outcome === 'static_qr') return
    if (outcome === 'bill_paid') statements.payBill({ id: bill.id, at })
    else statements.markBill({ id: bill.id, mark: outcome })
  }

  /** The answer to a payment that was recorded before; undefined when it was not, or said something else. */
  function saidBefore({ clientId, ftCode, dedupeKey, contentHash }: Payment): PaymentResult | undefined {
    const known = statements.known.get({ clientId, ftCode, dedupeKey })
    const first = known && sealer.open(known.id, known.sealed)
    return first?.contentHash === contentHash ? { kind: 'replayed', answer: first.answer } : undefined
  }

  /** Stores one announcement under its number; undefined when it is suppressed, because then nothing is sent. */
  function addAnnouncement(
    planned: PlannedAnnouncement,
    payment: Payment,
    paymentNumber: number,
    { serial, deviceNumber, free }: { serial: string; deviceNumber: number; free: boolean },
  ): Announcement | undefined {
    const { id, deviceId, lang, paidBill, expiresAt } = planned
    const { receivedAt } = payment
    const queued = planned.stage === 'queued'
    const stage = queued && free ? 'sent' : planned.stage
    const n = queued ? numbers.take(deviceNumber) : null
    statements.insertAnnouncement({
      ...{ id, deviceNumber, paymentNumber, n, stage, lang, paidBill, expiresAt },
      amount: Number(payment.amount),
      queuedAt: receivedAt,
      sentAt: stage === 'sent' ? receivedAt : null,
      suppressedAt: queued ? null : receivedAt,
    })
    if (n === null) return undefined
    const { amount } = payment
    return { id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }
  }

  /** Tells the stages at which the announcements begin; what is sent is so once it is on disk. */
  function tell(planned: PlannedAnnouncement[], queued: Announcement[], sinceAskedMs: number) {
    for (const { stage } of planned) observe(stage, 0)
    for (const { stage } of queued) if (stage === 'sent') observe(stage, sinceAskedMs)
  }

  return async (payment, free = []) => {
    const askedAt = performance.now()
    let planned: PlannedAnnouncement[] = []
    const result = await commits.write((): PaymentResult => {
      const { clientId, terminalID, billNumber, notice, contentHash } = payment
      const till = tills.of(clientId, terminalID)
      if (!till) return saidBefore(payment) ?? { kind: 'store_not_found' }

      const { store } = till
      const billRow = billNumber === '' ? undefined : statements.bill.get({ storeId: store.id, billNumber })
      const bill = billRow && toBill(sealedBills, billRow)
      const speakers = till.speakers.map(({ speaker }) => speaker)
      const { outcome, answer, announcements } = settle(payment, { store, bill, speakers })

      // Before a look whether it is known: almost every payment is new, and a known one gives way in the same index.
      const number = statements.insertPayment({
        ...payment,
        amount: Number(payment.amount),
        storeId: store.id,
        billId: bill?.id ?? null,
        outcome,
        sealed: sealer.seal(payment.id, { answer, notice, contentHash }),
      })
      if (number === undefined) return saidBefore(payment) ?? { kind: 'conflict' }
      planned = announcements
      totals.count(till.number, Number(payment.amount))
      markBill(bill, outcome, payment.receivedAt)
      const queued = announcements.flatMap((one) => {
        const to = till.speakers.find(({ speaker }) => speaker.deviceId === one.deviceId)
        if (!to) throw new Error('an announcement is for a speaker of the store')
        const { serial, deviceId } = to.speaker
        const where = { serial, deviceNumber: to.number, free: free.includes(deviceId) }
        return addAnnouncement(one, payment, number, where) ?? []
      })
      return { kind: 'recorded', answer, outcome, bill, announcements: queued, speakers }
    })
    if (result.kind === 'recorded') tell(planned, result.announcements, performance.now() - askedAt)
    return result
  }
}
