import type { PaymentView } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import {
  createPaymentMapping,
  type PaymentRow,
  type TrailRow,
  toTrail,
} from '../../shared/payment-mapping.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { TRAIL_COLUMNS } from './columns.ts'

/** Reads payments, each with the stages of its announcements. */
export function createPaymentViews(
  { vault, among }: Pick<Engine, 'vault' | 'among'>,
  rules: Pick<StorageRules, 'stages'>,
) {
  const toView = createPaymentMapping(vault)

  return function* viewsOf(payments: readonly PaymentRow[]): Act<{ rowId: number; view: PaymentView }[]> {
    if (payments.length === 0) return []
    const found = yield* rows<TrailRow & { paymentNumber: number; serial: string }>(
      'payments.trails',
      `SELECT a.payment_number AS "paymentNumber", d.serial, ${TRAIL_COLUMNS}
       FROM announcements a JOIN devices d ON d.number = a.device_number
       WHERE ${among('a.payment_number', '$1', 'bigint')} ORDER BY a.payment_number, a.number`,
      [payments.map(({ rowId }) => rowId)],
    )
    const trails = Map.groupBy(found, ({ paymentNumber }) => paymentNumber)
    return payments.map((row) => {
      const announcements = (trails.get(row.rowId) ?? []).map((trail) => toTrail(rules, trail, trail.serial))
      return { rowId: row.rowId, view: toView(row, announcements) }
    })
  }
}
