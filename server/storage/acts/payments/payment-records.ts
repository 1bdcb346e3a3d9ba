import type { PaymentRecords, PaymentView } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import {
  createPaymentMapping,
  type PaymentRow,
  type TrailRow,
  toTrail,
} from '../../shared/payment-mapping.ts'
import { createPaymentSealer } from '../../shared/sealed-columns.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { createSumUp } from './day-sums.ts'

/** The columns of a PaymentRow, of `payments p`. */
export const PAYMENT_COLUMNS = `p.number AS "rowId", p.id, p.client_id AS "clientId", p.store_id AS "storeId",
  p.bill_id AS "billId", p.dedupe_key AS "dedupeKey", p.outcome, p.terminal_id AS "terminalID",
  p.bank_code AS "bankCode", p.bill_number AS "billNumber", p.amount, p.paid_at AS "paidAt",
  p.trace_transfer AS "traceTransfer", p.ft_code AS "ftCode", p.sealed, p.received_at AS "receivedAt"`

/** The columns of a TrailRow, of `announcements a`. */
export const TRAIL_COLUMNS = `a.n, a.stage, a.reason, a.queued_at AS "queuedAt", a.sent_at AS "sentAt",
  a.received_at AS "receivedAt", a.played_at AS "playedAt", a.failed_at AS "failedAt", a.expired_at AS "expiredAt",
  a.suppressed_at AS "suppressedAt", a.proof, a.may_repeat AS "mayRepeat"`

export function createPaymentRecords(
  engine: Engine,
  rules: Pick<StorageRules, 'stages' | 'resultOf'>,
  record: PaymentRecords['record'],
): PaymentRecords {
  const viewsOf = createPaymentViews(engine, rules)
  const sealer = createPaymentSealer(engine.vault)

  return {
    record,
    sumUp: createSumUp(engine, rules),

    unseal: engine.writing(function* (by, { id, cursor }, at) {
      const found = yield* row<{ sealed: Buffer }>(
        'payments.unseal',
        'SELECT sealed FROM payments WHERE number = $1 AND id = $2',
        [Number(cursor), id],
      )
      if (!found) return undefined
      const { notice, answer } = sealer.open(id, found.sealed)
      const { bankName, bankCode, bankAccountNumber, bankAccountName } = answer
      yield* noteChange({ by, at, action: 'payment.unseal', subject: id })
      return { notice, bankName, bankCode, bankAccountNumber, bankAccountName }
    }),

    findByFtCode: engine.reading(function* (clientId, ftCode) {
      // The keys hold the numbers of all payments of a code, also of deleted ones.
      const found = yield* rows<PaymentRow>(
        'payments.findByFtCode',
        `SELECT ${PAYMENT_COLUMNS} FROM payments p WHERE p.number = (
           SELECT max(p.number) FROM ${engine.paymentKeys} k JOIN payments p ON p.number = k.payment_number
           WHERE k.client_id = $1 AND k.ft_code = $2
         )`,
        [clientId, ftCode],
      )
      return (yield* viewsOf(found))[0]?.view
    }),
  }
}

/** Reads the announcements of payments, by the payments' numbers. */
export function createTrails({ among }: Pick<Engine, 'among'>, rules: Pick<StorageRules, 'stages'>) {
  return function* trailsOf(payments: readonly { rowId: number }[]) {
    const found = yield* rows<TrailRow & { paymentNumber: number; serial: string }>(
      'payments.trails',
      `SELECT a.payment_number AS "paymentNumber", d.serial, ${TRAIL_COLUMNS}
       FROM announcements a JOIN devices d ON d.number = a.device_number
       WHERE ${among('a.payment_number', '$1', 'bigint')} ORDER BY a.payment_number, a.number`,
      [payments.map(({ rowId }) => rowId)],
    )
    const trails = Map.groupBy(found, ({ paymentNumber }) => paymentNumber)
    return (rowId: number) => (trails.get(rowId) ?? []).map((trail) => toTrail(rules, trail, trail.serial))
  }
}

/** Reads payments, each with the stages of its announcements. */
export function createPaymentViews(
  engine: Pick<Engine, 'vault' | 'among'>,
  rules: Pick<StorageRules, 'stages'>,
) {
  const toView = createPaymentMapping(engine.vault)
  const trailsOf = createTrails(engine, rules)

  return function* viewsOf(payments: readonly PaymentRow[]): Act<{ rowId: number; view: PaymentView }[]> {
    if (payments.length === 0) return []
    const trails = yield* trailsOf(payments)
    return payments.map((row) => ({ rowId: row.rowId, view: toView(row, trails(row.rowId)) }))
  }
}
