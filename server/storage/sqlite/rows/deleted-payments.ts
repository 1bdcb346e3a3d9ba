import type { Payment } from '../../../payments/payment.ts'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { createPaymentSealer } from '../../shared/sealed-payment.ts'
import type { Orm } from '../engine/database.ts'

type Key = Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey'>
/** What is left of a deleted payment. */
export type DeletedPayment = Pick<Payment, 'id' | 'contentHash'>

export type DeletedPayments = ReturnType<typeof createDeletedPayments>

/** The payments that retention has deleted, so that a repeat of one is not counted again. */
export function createDeletedPayments({ $client: sqlite }: Orm, vault: Vault) {
  const sealer = createPaymentSealer(vault)
  const sealed = sealedFields(vault, 'deletedPayments')
  const newest = sqlite.prepare<[], number | null>('SELECT max(number) FROM deleted_payments').pluck()
  const find = sqlite.prepare<
    [clientId: string, ftCode: string, dedupeKey: string],
    { id: string; hash: Buffer }
  >(
    `SELECT id, content_hash AS hash FROM deleted_payments
     WHERE client_id = ? AND ft_code = ? AND dedupe_key = ?`,
  )
  const payment = sqlite.prepare<[rowId: number], Key & { id: string; receivedAt: number; sealed: Buffer }>(
    `SELECT id, client_id AS clientId, ft_code AS ftCode, dedupe_key AS dedupeKey, received_at AS receivedAt, sealed
     FROM payments WHERE number = ?`,
  )
  const insert = sqlite.prepare<[Key & { id: string; receivedAt: number; hash: Buffer }]>(
    `INSERT INTO deleted_payments (id, client_id, ft_code, dedupe_key, content_hash, received_at)
     VALUES (@id, @clientId, @ftCode, @dedupeKey, @hash, @receivedAt)`,
  )
  // Most hubs keep payments for ever. They save a look at each payment. Only this connection adds rows.
  let mayHave: boolean | undefined

  return {
    find({ clientId, ftCode, dedupeKey }: Key): DeletedPayment | undefined {
      mayHave ??= newest.get() !== null
      const row = mayHave ? find.get(clientId, ftCode, dedupeKey) : undefined
      return row && { id: row.id, contentHash: sealed.read(row.id, 'contentHash', row.hash) }
    },

    /** Adds a payment that is about to be deleted. */
    add(rowId: number) {
      const row = payment.get(rowId)
      if (!row) return
      const { id, clientId, ftCode, dedupeKey, receivedAt } = row
      const hash = sealed.seal(id, 'contentHash', sealer.open(id, row.sealed).contentHash)
      insert.run({ id, clientId, ftCode, dedupeKey, receivedAt, hash })
      mayHave = true
    },
  }
}
