import type { PaymentRecords } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { PaymentRow } from '../../shared/payment-mapping.ts'
import { type Engine, rows } from '../act.ts'
import { PAYMENT_COLUMNS } from './columns.ts'
import { createPaymentViews } from './payment-views.ts'

export function createPaymentRecords(
  engine: Engine,
  rules: Pick<StorageRules, 'stages'>,
  record: PaymentRecords['record'],
): PaymentRecords {
  const viewsOf = createPaymentViews(engine, rules)

  return {
    record,

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
