import type { Payment } from '../../../payments/payment.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { createPaymentSealer, sealedFields } from '../../shared/sealed-columns.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { isOld, type Old, pruneAged } from './aged-rows.ts'

/** What a repeat of a payment is known by. */
export type PaymentKey = Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey'>

export interface OldPayment extends PaymentKey, Pick<Payment, 'id' | 'receivedAt'> {
  number: number
  sealed: Buffer
}

/** The columns of an OldPayment. */
export const OLD_PAYMENT = `number, id, client_id AS "clientId", ft_code AS "ftCode", dedupe_key AS "dedupeKey",
  received_at AS "receivedAt", sealed`

/** Whether a speaker still needs a payment `p`. A revoked device never shows what it has missed. */
export const isNeeded = ({ ofPayment }: Pick<Engine, 'ofPayment'>) => `EXISTS (
  SELECT 1 FROM announcements a JOIN devices d ON d.number = a.device_number
  WHERE ${ofPayment('p.number')} AND (${OPEN} OR (${UNSEEN} AND d.revoked_at IS NULL))
)`

/** Notes what a repeat of payments is known by. */
export type Remember = (old: readonly OldPayment[]) => Act<void>

/** What each engine knows of deleted payments in its own way. */
export interface DeletedPaymentRows {
  /** There are more of them now. */
  added(): void
  /** These have left the table of deleted payments. */
  forget(keys: readonly PaymentKey[]): Act<void>
}

const PAYMENTS = { table: 'payments', key: 'number', at: 'received_at' }
const DELETED = { ...PAYMENTS, table: 'deleted_payments' }

export function createPaymentPruning(engine: Engine, deletedRows: DeletedPaymentRows) {
  const { among, forUpdate, perRow, vault, rowByRow } = engine
  const sealer = createPaymentSealer(vault)
  const sealedHashes = sealedFields(vault, 'deletedPayments')
  const keep = perRow(
    'retention.keep',
    {
      ...({ id: 'text', clientId: 'text', ftCode: 'text', dedupeKey: 'text' } as const),
      ...({ hash: 'bytea', receivedAt: 'bigint' } as const),
    },
    (one, { from }) =>
      `INSERT INTO deleted_payments (id, client_id, ft_code, dedupe_key, content_hash, received_at)
       SELECT ${one.id}, ${one.clientId}, ${one.ftCode}, ${one.dedupeKey}, ${one.hash}, ${one.receivedAt} ${from}`,
  )

  function* remember(old: readonly OldPayment[]): Act<void> {
    if (old.length === 0) return
    yield* keep(
      old.map(({ sealed, ...payment }) => {
        const { contentHash } = sealer.open(payment.id, sealed)
        return { ...payment, hash: sealedHashes.seal(payment.id, 'contentHash', contentHash) }
      }),
    )
    deletedRows.added()
  }

  /** Deletes the payments that no speaker needs. */
  function* remove(...old: Old): Act<readonly unknown[]> {
    const done = yield* rows<OldPayment>(
      'retention.done',
      `SELECT ${OLD_PAYMENT} FROM payments p WHERE ${isOld(PAYMENTS)} AND NOT ${isNeeded(engine)}
       ORDER BY number ${forUpdate}`,
      old,
    )
    if (done.length === 0) return done
    const numbers = done.map(({ number }) => number)
    for (const [table, column] of [
      ['announcements', 'payment_number'],
      ['payments', 'number'],
    ] as const)
      yield* rows(
        `retention.delete ${table}`,
        `DELETE FROM ${table} WHERE ${among(column, '$1', 'bigint')}`,
        [numbers],
      )
    yield* remember(done)
    return done
  }

  function* forget(...old: Old): Act<readonly unknown[]> {
    const gone = yield* rows<PaymentKey>(
      'retention.delete deleted_payments',
      `DELETE FROM deleted_payments WHERE ${isOld(DELETED)}
       RETURNING client_id AS "clientId", ft_code AS "ftCode", dedupe_key AS "dedupeKey"`,
      old,
    )
    yield* deletedRows.forget(gone)
    return gone
  }

  return {
    remember,
    prunePayments: (before: number, after: string, now: number) =>
      pruneAged({ ...PAYMENTS, where: rowByRow('payments', 'number') }, before, Number(after), remove, now),
    forgetDeleted: (before: number, after: string) => pruneAged(DELETED, before, Number(after), forget),
  }
}
