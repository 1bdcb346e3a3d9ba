import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import type { Pruned, Retention } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { isOpen, isUnseen } from '../rows/announcement-conditions.ts'
import { announcements, devices, idempotencyKeys, payments, verificationCodes } from '../schema/schema.ts'

/** Rows that one commit deletes. Payments wait for it, and in a large file each row costs several pages. */
export const PAGE = 25

const value = sql.placeholder

interface AgedRow<K> {
  key: K
  at: number
}

/**
 * Deletes old rows in the order of their primary keys. Row ids rise and ids are UUIDs of version 7, so that is the
 * order of age, and no payment writes an index by age. The time in the row decides whether it is deleted.
 * Held by test/server/storage/sqlite/acts/retention.test.ts.
 */
export function createRetention({ orm, commits }: OpenDatabase): Retention {
  const agedPayments = orm
    .select({ key: payments.rowId, at: payments.receivedAt })
    .from(payments)
    .where(gt(payments.rowId, value('after')))
    .orderBy(asc(payments.rowId))
    .limit(PAGE)
    .prepare()
  const agedCodes = orm
    .select({ key: verificationCodes.id, at: verificationCodes.issuedAt })
    .from(verificationCodes)
    .where(gt(verificationCodes.id, value('after')))
    .orderBy(asc(verificationCodes.id))
    .limit(PAGE)
    .prepare()
  /** Announcements that a speaker has still to play, or to show as missed. */
  const needed = orm
    .select({ id: announcements.id })
    .from(announcements)
    .innerJoin(devices, eq(devices.rowId, announcements.deviceRowId))
    // A revoked device never shows what it has missed.
    .where(
      and(
        eq(announcements.paymentRowId, value('rowId')),
        or(isOpen, and(isUnseen, isNull(devices.revokedAt))),
      ),
    )
    .limit(1)
    .prepare()
  const dropAnnouncements = orm
    .delete(announcements)
    .where(eq(announcements.paymentRowId, value('rowId')))
    .prepare()
  const dropPayment = orm
    .delete(payments)
    .where(eq(payments.rowId, value('rowId')))
    .prepare()
  const dropCode = orm
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.id, value('id')), sql`${verificationCodes.state} <> 'outstanding'`))
    .prepare()

  function deletePayment(rowId: number): number {
    if (needed.get({ rowId })) return 0
    dropAnnouncements.run({ rowId })
    return dropPayment.run({ rowId }).changes
  }

  /** Deletes the old rows of one page. A page with a young row is the last one. */
  function prune<K>(page: AgedRow<K>[], before: number, remove: (key: K) => number): Pruned {
    const old = page.filter(({ at }) => at < before)
    const deleted = old.reduce((sum, { key }) => sum + remove(key), 0)
    const last = old.at(-1)
    return { deleted, next: last && old.length === PAGE ? String(last.key) : undefined }
  }

  return {
    prunePayments: (before, after) =>
      commits.write(() => prune(agedPayments.all({ after: Number(after) }), before, deletePayment)),

    pruneCodes: (before, after) =>
      commits.write(() => prune(agedCodes.all({ after }), before, (id) => dropCode.run({ id }).changes)),

    pruneIdempotencyKeys: (at) =>
      commits.write(() => {
        const expired = orm
          .select({ id: idempotencyKeys.id })
          .from(idempotencyKeys)
          .where(lte(idempotencyKeys.expiresAt, at))
          .limit(PAGE)
          .all()
        for (const { id } of expired) orm.delete(idempotencyKeys).where(eq(idempotencyKeys.id, id)).run()
        return { deleted: expired.length, next: expired.length === PAGE ? '' : undefined }
      }),
  }
}
