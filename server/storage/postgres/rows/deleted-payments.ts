import type { DeletedPaymentRows } from '../../acts/retention/payments.ts'
import { POSTGRES } from '../schema/statements.ts'

const forget = POSTGRES.perRow(
  'retention.forget',
  { clientId: 'text', ftCode: 'text', dedupeKey: 'text' },
  (_, { from }) => `DELETE FROM payment_keys WHERE (client_id, ft_code, dedupe_key) IN (SELECT * ${from})`,
)

/** Deleted payments are known by their keys, as all payments are. */
export const DELETED_PAYMENTS: DeletedPaymentRows = {
  added: () => undefined,
  *forget(keys) {
    yield* forget(keys)
  },
}
