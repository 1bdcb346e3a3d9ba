import type { Payment } from '../../../payments/payment.ts'
import { carryOutAsync } from '../../acts/act.ts'
import { deletePageOfRemoved } from '../../acts/webhooks/removed-webhooks.ts'
import type { Pruned, Retention } from '../../ports.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { NEWEST, oldRows } from '../../shared/pages.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { createPaymentSealer } from '../../shared/sealed-payment.ts'
import { deliveryId } from '../../shared/webhooks/mapping.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { columns } from '../rows/columns.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'

/** Rows that one commit deletes. */
const PAGE = 25
/** Events and their deliveries that one commit deletes, of so many partners. */
const [EVENTS, PARTNERS] = [200, 50]
/** One audit row counts the payments that were deleted in this time. */
const AUDITED_TOGETHER_MS = 24 * 60 * 60_000

interface AgedRow<K> {
  key: K
  at: number
}

interface DoneRow extends Pick<Payment, 'id' | 'clientId' | 'ftCode' | 'dedupeKey' | 'receivedAt'> {
  number: number
  sealed: Buffer
}

/**
 * Deletes old rows in the order of their primary keys. Row numbers rise and ids are UUIDs of version 7, so that is the
 * order of age, and no payment writes an index by age. The time in the row decides whether it is deleted.
 */
export function createRetention({ read, write, revisions, audit, vault }: PostgresDatabase): Retention {
  const sealer = createPaymentSealer(vault)
  const sealedHashes = sealedFields(vault, 'deletedPayments')

  /** Deletes the old rows of one page. A page with a young row is the last one. */
  async function prune<K>(
    page: AgedRow<K>[],
    before: number,
    remove: (keys: K[]) => Promise<number>,
    now?: number,
  ): Promise<Pruned> {
    const { old, isEnd } = oldRows(page, before, now)
    const deleted = old.length > 0 ? await remove(old.map(({ key }) => key)) : 0
    const last = page.at(-1)
    return { deleted, next: last && !isEnd && page.length === PAGE ? String(last.key) : undefined }
  }

  /** Deletes the payments that no speaker needs. A revoked device never shows what it has missed. */
  async function deletePayments(tx: Tx, numbers: number[]): Promise<number> {
    const done = await tx.query<DoneRow>(
      'retention.done',
      `SELECT p.number, p.id, p.client_id AS "clientId", p.ft_code AS "ftCode", p.dedupe_key AS "dedupeKey",
         p.received_at AS "receivedAt", p.sealed
       FROM payments p WHERE p.number = ANY ($1) AND NOT EXISTS (
         SELECT 1 FROM announcements a JOIN devices d ON d.number = a.device_number
         WHERE a.payment_number = p.number AND (${OPEN} OR (${UNSEEN} AND d.revoked_at IS NULL))
       ) ORDER BY p.number FOR UPDATE OF p`,
      [numbers],
    )
    const rows = done.map((row) => ({
      ...row,
      hash: sealedHashes.seal(row.id, 'contentHash', sealer.open(row.id, row.sealed).contentHash),
    }))
    await tx.query(
      'retention.deletePayments',
      `WITH announced AS (
         DELETE FROM announcements WHERE payment_number = ANY ($1)
       ), paid AS (
         DELETE FROM payments WHERE number = ANY ($1)
       )
       INSERT INTO deleted_payments (id, client_id, ft_code, dedupe_key, content_hash, received_at)
       SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bigint[])`,
      [
        rows.map(({ number }) => number),
        ...columns(rows, 'id', 'clientId', 'ftCode', 'dedupeKey', 'hash', 'receivedAt'),
      ],
    )
    return rows.length
  }

  /** Deletes the oldest events of a partner, up to the first young one, with their deliveries. Returns the number of events. */
  async function deleteOldest(
    tx: Tx,
    clientId: string,
    webhooks: readonly string[],
    before: number,
    limit: number,
  ): Promise<number> {
    const aged = await tx.query<AgedRow<number>>(
      'retention.events',
      'SELECT seq AS key, at FROM events WHERE client_id = $1 ORDER BY seq LIMIT $2',
      [clientId, limit],
    )
    const young = aged.findIndex(({ at }) => at >= before)
    const old = young < 0 ? aged : aged.slice(0, young)
    const last = old.at(-1)
    if (!last) return 0
    await tx.query(
      'retention.deleteEvents',
      `WITH gone AS (DELETE FROM events WHERE client_id = $1 AND seq <= $2)
       INSERT INTO deleted_events (client_id, seq) VALUES ($1, $2)
       ON CONFLICT (client_id) DO UPDATE SET seq = greatest(deleted_events.seq, excluded.seq)`,
      [clientId, last.key],
    )
    for (const id of webhooks)
      await tx.query('retention.deleteDeliveries', 'DELETE FROM deliveries WHERE id >= $1 AND id <= $2', [
        deliveryId(id, 0),
        deliveryId(id, last.key),
      ])
    return old.length
  }

  /**
   * Locks the partner's webhooks: until the commit no attempt is stored of them, which would see the deleted events, and
   * afterwards none is stored of those.
   */
  async function lockWebhooks(tx: Tx, clientId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'retention.webhooks',
      'SELECT id FROM webhooks WHERE client_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
      [clientId],
    )
    return rows.map(({ id }) => id)
  }

  return {
    prunePayments: (before, after, at) =>
      write(async (tx) => {
        const page = await tx.query<AgedRow<number>>(
          'retention.payments',
          `SELECT number AS key, received_at AS at FROM payments WHERE number > $1 ORDER BY number LIMIT ${PAGE}`,
          [Number(after)],
        )
        const pruned = await prune(page, before, (numbers) => deletePayments(tx, numbers), at)
        const change = { at, action: 'payment.prune', subject: '' } as const
        if (pruned.deleted > 0) await audit.count(tx, change, pruned.deleted, AUDITED_TOGETHER_MS)
        return pruned
      }),

    forgetDeleted: (before, after) =>
      write(async (tx) => {
        const page = await tx.query<AgedRow<number>>(
          'retention.deletedPayments',
          `SELECT number AS key, received_at AS at FROM deleted_payments WHERE number > $1 ORDER BY number LIMIT ${PAGE}`,
          [Number(after)],
        )
        return prune(page, before, async (numbers) => {
          const forgotten = await tx.query(
            'retention.forgetDeleted',
            `WITH gone AS (
               DELETE FROM deleted_payments WHERE number = ANY ($1)
               RETURNING number, client_id, ft_code, dedupe_key
             ), known AS (
               DELETE FROM payment_keys k USING gone
               WHERE (k.client_id, k.ft_code, k.dedupe_key) = (gone.client_id, gone.ft_code, gone.dedupe_key)
             )
             SELECT number FROM gone`,
            [numbers],
          )
          return forgotten.length
        })
      }),

    pruneEvents: (before, after) =>
      write(async (tx) => {
        if (await carryOutAsync(deletePageOfRemoved(POSTGRES), runOn(tx.query)))
          return { deleted: 0, next: after }
        let [deleted, rows, done] = [0, 0, after]
        for (let looked = 0; looked < PARTNERS; looked += 1) {
          const [partner] = await tx.query<{ clientId: string }>(
            'retention.partner',
            'SELECT client_id AS "clientId" FROM events WHERE client_id > $1 ORDER BY client_id LIMIT 1',
            [done],
          )
          if (!partner) return { deleted, next: undefined }
          const { clientId } = partner
          const webhooks = await lockWebhooks(tx, clientId)
          const limit = Math.floor((EVENTS - rows) / (1 + webhooks.length))
          const old = await deleteOldest(tx, clientId, webhooks, before, limit)
          deleted += old
          rows += old * (1 + webhooks.length)
          // The partner may have more.
          if (old === limit) return { deleted, next: done }
          done = clientId
        }
        return { deleted, next: done }
      }),

    pruneCodes: (before, after) =>
      write(async (tx) => {
        const page = await tx.query<AgedRow<string>>(
          'retention.codes',
          `SELECT id AS key, issued_at AS at FROM verification_codes WHERE id > $1 ORDER BY id LIMIT ${PAGE}`,
          [after],
        )
        return prune(page, before, async (ids) => {
          const deleted = await tx.query(
            'retention.deleteCodes',
            "DELETE FROM verification_codes WHERE id = ANY ($1) AND state <> 'outstanding' RETURNING id",
            [ids],
          )
          return deleted.length
        })
      }),

    pruneTokens: (endedBefore) =>
      write(async (tx) => {
        const families = await tx.query(
          'retention.deleteFamilies',
          `DELETE FROM token_families WHERE id = ANY (ARRAY(
             SELECT id FROM token_families WHERE expires_at < $1
             ORDER BY expires_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
           )) RETURNING id`,
          [endedBefore],
        )
        const deleted = families.length
        if (deleted > 0) await revisions.raise(tx, 'grants')
        return { deleted, next: deleted === PAGE ? '' : undefined }
      }),

    pruneIdempotencyKeys: (at) =>
      write(async (tx) => {
        const deleted = await deleteExpiredOutcomes(tx, at, PAGE)
        return { deleted, next: deleted === PAGE ? '' : undefined }
      }),

    pruneAudit: (before, after) =>
      write(async (tx) => {
        const page = await tx.query<AgedRow<number>>(
          'retention.audit',
          `SELECT id AS key, at FROM audit WHERE id > $1 ORDER BY id LIMIT ${PAGE}`,
          [Number(after)],
        )
        return prune(page, before, async (ids) => {
          const deleted = await tx.query(
            'retention.deleteAudit',
            'DELETE FROM audit WHERE id = ANY ($1) RETURNING id',
            [ids],
          )
          return deleted.length
        })
      }),

    newestReceivedAt: async () => {
      const [newest] = await read<{ at: number | null }>(
        'retention.newest',
        `SELECT max(received_at) AS at FROM payments WHERE number > (SELECT max(number) FROM payments) - ${NEWEST}`,
      )
      return newest?.at ?? undefined
    },

    noteClock: (action, at, details) => write((tx) => audit.note(tx, { at, action, subject: '', details })),
  }
}

/** Deletes outcomes that have expired at a time, up to a limit. Leaves those that another transaction works on. */
async function deleteExpiredOutcomes(tx: Tx, at: number, limit: number): Promise<number> {
  const deleted = await tx.query(
    'idempotency.deleteExpired',
    `DELETE FROM idempotency_keys WHERE id = ANY (ARRAY(
       SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
     )) RETURNING id`,
    [at, limit],
  )
  return deleted.length
}
