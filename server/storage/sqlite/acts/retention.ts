import { carryOut } from '../../acts/act.ts'
import { deletePageOfRemoved } from '../../acts/webhooks/removed-webhooks.ts'
import type { Pruned, Retention } from '../../ports.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { NEWEST, oldRows } from '../../shared/pages.ts'
import { deliveryId } from '../../shared/webhooks/mapping.ts'
import type { OpenDatabase, Orm } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { DeletedPayments } from '../rows/deleted-payments.ts'
import type { PaymentDigests } from '../rows/payment-digests.ts'
import { runOn, SQLITE } from '../schema/statements.ts'

/** Rows that one commit deletes. Payments wait for it, and in a large file each row costs several pages. */
const PAGE = 25
/** Events and their deliveries that one commit deletes. They lie side by side, so they cost few pages. */
const EVENTS = 200
/** Partners that one commit looks at. */
const PARTNERS = 50
/** One audit row counts the payments that were deleted in this time. */
const AUDITED_TOGETHER_MS = 24 * 60 * 60_000

interface AgedRow<K> {
  key: K
  at: number
}

/**
 * Deletes old rows in the order of their primary keys. Row ids rise and ids are UUIDs of version 7, so that is the
 * order of age, and no payment writes an index by age. The time in the row decides whether it is deleted.
 * Held by test/server/storage/contract/retention.ts.
 */
export function createRetention(
  { orm, writing, revisions, audit }: OpenDatabase,
  { digests, deleted }: { digests: Pick<PaymentDigests, 'prune'>; deleted: Pick<DeletedPayments, 'add'> },
): Retention {
  const { $client: sqlite } = orm
  const run = runOn(sqlite)
  const agedPayments = sqlite.prepare<[after: number], AgedRow<number>>(
    `SELECT number AS key, received_at AS at FROM payments WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
  )
  const newestPayment = sqlite
    .prepare<[], number | null>(
      `SELECT max(received_at) FROM payments WHERE number > (SELECT max(number) FROM payments) - ${NEWEST}`,
    )
    .pluck()
  const agedDeleted = sqlite.prepare<[after: number], AgedRow<number>>(
    `SELECT number AS key, received_at AS at FROM deleted_payments WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
  )
  const forgetDeleted = sqlite.prepare<[number: number]>('DELETE FROM deleted_payments WHERE number = ?')
  const agedCodes = sqlite.prepare<[after: string], AgedRow<string>>(
    `SELECT id AS key, issued_at AS at FROM verification_codes WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const agedAudit = sqlite.prepare<[after: number], AgedRow<number>>(
    `SELECT id AS key, at FROM audit WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const deleteAudit = sqlite.prepare<[id: number]>('DELETE FROM audit WHERE id = ?')
  // A revoked device never shows what it has missed.
  const neededAnnouncement = sqlite.prepare<[payment: number]>(
    `SELECT 1 FROM announcements a JOIN devices d ON d.number = a.device_number
     WHERE a.payment_number = ? AND (${OPEN} OR (${UNSEEN} AND d.revoked_at IS NULL)) LIMIT 1`,
  )
  const deleteAnnouncements = sqlite.prepare<[payment: number]>(
    'DELETE FROM announcements WHERE payment_number = ?',
  )
  const deletePayment = sqlite.prepare<[payment: number]>('DELETE FROM payments WHERE number = ?')
  const deleteCode = sqlite.prepare<[id: string]>(
    "DELETE FROM verification_codes WHERE id = ? AND state <> 'outstanding'",
  )
  const nextPartner = sqlite
    .prepare<[after: string], string>(
      'SELECT client_id FROM events WHERE client_id > ? ORDER BY client_id LIMIT 1',
    )
    .pluck()
  const agedEvents = sqlite.prepare<[clientId: string, limit: number], AgedRow<number>>(
    'SELECT seq AS key, at FROM events WHERE client_id = ? ORDER BY seq LIMIT ?',
  )
  const deleteEvents = sqlite.prepare<[clientId: string, upTo: number]>(
    'DELETE FROM events WHERE client_id = ? AND seq <= ?',
  )
  const noteDeleted = sqlite.prepare<[clientId: string, upTo: number]>(
    `INSERT INTO deleted_events (client_id, seq) VALUES (?, ?)
     ON CONFLICT (client_id) DO UPDATE SET seq = excluded.seq`,
  )
  const webhooksOf = sqlite
    .prepare<[clientId: string], string>('SELECT id FROM webhooks WHERE client_id = ? AND deleted_at IS NULL')
    .pluck()
  const deleteDeliveries = sqlite.prepare<[from: string, upTo: string]>(
    'DELETE FROM deliveries WHERE id >= ? AND id <= ?',
  )
  const deleteFamilies = sqlite.prepare<[endedBefore: number]>(
    `DELETE FROM token_families
     WHERE id IN (SELECT f.id FROM token_families f WHERE f.expires_at < ? LIMIT ${PAGE})`,
  )
  const deleteExpired = deleteExpiredOutcomes(sqlite)

  /** Deletes the old rows of one page. A page with a young row is the last one. */
  function prune<K>(page: AgedRow<K>[], before: number, remove: (key: K) => number, now?: number): Pruned {
    const { old, isEnd } = oldRows(page, before, now)
    const deleted = old.reduce((sum, { key }) => sum + remove(key), 0)
    const last = page.at(-1)
    return { deleted, next: last && !isEnd && page.length === PAGE ? String(last.key) : undefined }
  }

  /** Deletes the oldest events of a partner, up to the first young one, with their deliveries. Returns the number of events. */
  function deleteOldest(clientId: string, webhooks: readonly string[], before: number, limit: number) {
    const aged = agedEvents.all(clientId, limit)
    const young = aged.findIndex(({ at }) => at >= before)
    const old = young < 0 ? aged : aged.slice(0, young)
    const last = old.at(-1)
    if (last) {
      deleteEvents.run(clientId, last.key)
      noteDeleted.run(clientId, last.key)
      for (const id of webhooks) deleteDeliveries.run(deliveryId(id, 0), deliveryId(id, last.key))
    }
    return old.length
  }

  return {
    prunePayments: writing((before, after, at) => {
      const remove = (rowId: number) => {
        if (neededAnnouncement.get(rowId)) return 0
        deleted.add(rowId)
        deleteAnnouncements.run(rowId)
        return deletePayment.run(rowId).changes
      }
      const pruned = prune(agedPayments.all(Number(after)), before, remove, at)
      if (pruned.deleted > 0) {
        digests.prune()
        audit.count({ at, action: 'payment.prune', subject: '' }, pruned.deleted, AUDITED_TOGETHER_MS)
      }
      return pruned
    }),

    forgetDeleted: writing((before, after) =>
      prune(agedDeleted.all(Number(after)), before, (number) => forgetDeleted.run(number).changes),
    ),

    pruneEvents: writing((before, after) => {
      if (carryOut(deletePageOfRemoved(SQLITE), run)) return { deleted: 0, next: after }
      let [deleted, rows, done] = [0, 0, after]
      for (let looked = 0; looked < PARTNERS; looked += 1) {
        const clientId = nextPartner.get(done)
        if (clientId === undefined) return { deleted, next: undefined }
        const webhooks = webhooksOf.all(clientId)
        const limit = Math.floor((EVENTS - rows) / (1 + webhooks.length))
        const old = deleteOldest(clientId, webhooks, before, limit)
        deleted += old
        rows += old * (1 + webhooks.length)
        // The partner may have more.
        if (old === limit) return { deleted, next: done }
        done = clientId
      }
      return { deleted, next: done }
    }),

    pruneCodes: writing((before, after) =>
      prune(agedCodes.all(after), before, (id) => deleteCode.run(id).changes),
    ),

    pruneTokens: writing((endedBefore) => {
      const deleted = deleteFamilies.run(endedBefore).changes
      if (deleted > 0) revisions.raise('grants')
      return { deleted, next: deleted === PAGE ? '' : undefined }
    }),

    pruneIdempotencyKeys: writing((at) => {
      const deleted = deleteExpired.run(at, PAGE).changes
      return { deleted, next: deleted === PAGE ? '' : undefined }
    }),

    pruneAudit: writing((before, after) =>
      prune(agedAudit.all(Number(after)), before, (id) => deleteAudit.run(id).changes),
    ),

    newestReceivedAt: reading(() => newestPayment.get() ?? undefined),

    noteClock: writing((action, at, details) => audit.note({ at, action, subject: '', details })),
  }
}

/** Deletes outcomes that have expired at a time, up to a limit. */
function deleteExpiredOutcomes(sqlite: Orm['$client']) {
  return sqlite.prepare<[at: number, limit: number]>(
    `DELETE FROM idempotency_keys
     WHERE id IN (SELECT k.id FROM idempotency_keys k WHERE k.expires_at <= ? LIMIT ?)`,
  )
}
