import type { Pruned, Retention } from '../../ports.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { deleteExpiredOutcomes } from './idempotency-records.ts'

/** Rows that one commit deletes. Payments wait for it, and in a large file each row costs several pages. */
const PAGE = 25
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
export function createRetention({ orm: { $client: sqlite }, writing, audit }: OpenDatabase): Retention {
  const agedPayments = sqlite.prepare<[after: number], AgedRow<number>>(
    `SELECT number AS key, received_at AS at FROM payments WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
  )
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
  const deleteExpired = deleteExpiredOutcomes(sqlite)

  /** Deletes the old rows of one page. A page with a young row is the last one. */
  function prune<K>(page: AgedRow<K>[], before: number, remove: (key: K) => number): Pruned {
    const old = page.filter(({ at }) => at < before)
    const deleted = old.reduce((sum, { key }) => sum + remove(key), 0)
    const last = old.at(-1)
    return { deleted, next: last && old.length === PAGE ? String(last.key) : undefined }
  }

  return {
    prunePayments: writing((before, after, at) => {
      const pruned = prune(agedPayments.all(Number(after)), before, (rowId) => {
        if (neededAnnouncement.get(rowId)) return 0
        deleteAnnouncements.run(rowId)
        return deletePayment.run(rowId).changes
      })
      if (pruned.deleted > 0)
        audit.count({ at, action: 'payment.prune', subject: '' }, pruned.deleted, AUDITED_TOGETHER_MS)
      return pruned
    }),

    pruneCodes: writing((before, after) =>
      prune(agedCodes.all(after), before, (id) => deleteCode.run(id).changes),
    ),

    pruneIdempotencyKeys: writing((at) => {
      const deleted = deleteExpired.run(at, PAGE).changes
      return { deleted, next: deleted === PAGE ? '' : undefined }
    }),

    pruneAudit: writing((before, after) =>
      prune(agedAudit.all(Number(after)), before, (id) => deleteAudit.run(id).changes),
    ),
  }
}
