import type { PaymentRecords } from '../../../payments/ports.ts'
import { PAYMENT_COLUMNS } from '../../acts/payments/columns.ts'
import type { StorageRules } from '../../rules.ts'
import type { PaymentRow } from '../../shared/payment-mapping.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { createReadViews } from './payment/payment-views.ts'

export function createPaymentRecords(
  database: PostgresDatabase,
  rules: Pick<StorageRules, 'stages'>,
  record: PaymentRecords['record'],
): PaymentRecords {
  const { read } = database
  const readViews = createReadViews(database.vault, rules)

  return {
    record,

    async findByFtCode(clientId, ftCode) {
      // The keys hold the numbers of all payments of a code, also of deleted ones.
      const rows = await read<PaymentRow>(
        'payments.findByFtCode',
        `SELECT ${PAYMENT_COLUMNS} FROM payments p WHERE p.number = (
           SELECT max(p.number) FROM payment_keys k JOIN payments p ON p.number = k.payment_number
           WHERE k.client_id = $1 AND k.ft_code = $2
         )`,
        [clientId, ftCode],
      )
      const [found] = await readViews(read, rows)
      return found?.view
    },
  }
}
