import { rows } from '../../acts/act.ts'
import type { DeletedPaymentRows } from '../../acts/retention/payments.ts'
import { columns } from './columns.ts'

/** Deleted payments are known by their keys, as all payments are. */
export const DELETED_PAYMENTS: DeletedPaymentRows = {
  *keep(payments) {
    yield* rows(
      'retention.keep',
      `INSERT INTO deleted_payments (id, client_id, ft_code, dedupe_key, content_hash, received_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bigint[])`,
      columns(payments, 'id', 'clientId', 'ftCode', 'dedupeKey', 'hash', 'receivedAt'),
    )
  },
  *forget(keys) {
    yield* rows(
      'retention.forget',
      `DELETE FROM payment_keys k USING unnest($1::text[], $2::text[], $3::text[]) AS g (client_id, ft_code, dedupe_key)
       WHERE (k.client_id, k.ft_code, k.dedupe_key) = (g.client_id, g.ft_code, g.dedupe_key)`,
      columns(keys, 'clientId', 'ftCode', 'dedupeKey'),
    )
  },
}
