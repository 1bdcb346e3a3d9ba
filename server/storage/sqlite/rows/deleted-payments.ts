import type Database from 'better-sqlite3'
import type { Payment } from '../../../payments/payment.ts'
import type { Vault } from '../../../security/vault.ts'
import type { PaymentKey } from '../../acts/retention/payments.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'

/** What is left of a deleted payment. */
export type DeletedPayment = Pick<Payment, 'id' | 'contentHash'>

export type DeletedPayments = ReturnType<typeof createDeletedPayments>

/** The payments that retention has deleted, so that a repeat of one is not counted again. */
export function createDeletedPayments(sqlite: Database.Database, vault: Vault) {
  const sealed = sealedFields(vault, 'deletedPayments')
  const newest = sqlite.prepare<[], number | null>('SELECT max(number) FROM deleted_payments').pluck()
  const find = sqlite.prepare<
    [clientId: string, ftCode: string, dedupeKey: string],
    { id: string; hash: Buffer }
  >(
    `SELECT id, content_hash AS hash FROM deleted_payments
     WHERE client_id = ? AND ft_code = ? AND dedupe_key = ?`,
  )
  // Most hubs keep payments for ever. They save a look at each payment. Only this connection adds rows.
  let mayHave: boolean | undefined

  return {
    find({ clientId, ftCode, dedupeKey }: PaymentKey): DeletedPayment | undefined {
      mayHave ??= newest.get() !== null
      const row = mayHave ? find.get(clientId, ftCode, dedupeKey) : undefined
      return row && { id: row.id, contentHash: sealed.read(row.id, 'contentHash', row.hash) }
    },

    added() {
      mayHave = true
    },
  }
}
