import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import type { Pruned, Retention } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { isOpen, isUnseen } from '../rows/announcement-conditions.ts'
import { announcements, devices, idempotencyKeys, payments, verificationCodes } from '../schema/schema.ts'

/** Rows of one commit, which payments that arrive meanwhile wait for: in a large file each row costs several pages. */
export const PRUNE_AT_ONCE = 25

const value = sql.placeholder

interface Aged<K> {
  key: K
  at: number
}

/**
 * Why by primary key: payments are numbered as they come, and ids are UUIDs of version 7, so that it is in the order
 * of age, and no index by age need be written with every payment. What is deleted is decided by the row's own time.
 * Held by test/server/storage/sqlite/acts/retention.test.ts.
 */
export function createRetention({ orm, commits }: OpenDatabase): Retention {
  const agedPayments = orm
    .select({ key: payments.number, at: payments.receivedAt })
    .from(payments)
    .where(gt(payments.number, value('after')))
    .orderBy(asc(payments.number))
    .limit(PRUNE_AT_ONCE)
    .prepare()
  const agedCodes = orm
    .select({ key: verificationCodes.id, at: verificationCodes.issuedAt })
    .from(verificationCodes)
    .where(gt(verificationCodes.id, value('after')))
    .orderBy(asc(verificationCodes.id))
    .limit(PRUNE_AT_ONCE)
    .prepare()
  const owed = orm
    .select({ id: announcements.id })
    .from(announcements)
    .innerJoin(devices, eq(devices.number, announcements.deviceNumber))
    // A revoked device is never told anything again.
    .where(
      and(
        eq(announcements.paymentNumber, value('number')),
        or(isOpen, and(isUnseen, isNull(devices.revokedAt))),
      ),
    )
    .limit(1)
    .prepare()
  const dropAnnouncements = orm
    .delete(announcements)
    .where(eq(announcements.paymentNumber, value('number')))
    .prepare()
  const dropPayment = orm
    .delete(payments)
    .where(eq(payments.number, value('number')))
    .prepare()
  const dropCode = orm
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.id, value('id')), sql`${verificationCodes.state} <> 'outstanding'`))
    .prepare()

  function forgetPayment(number: number): number {
    if (owed.get({ number })) return 0
    dropAnnouncements.run({ number })
    return dropPayment.run({ number }).changes
  }

  /** Goes through one page; the first row that is young enough ends the pass. */
  function prune<K>(page: Aged<K>[], before: number, forget: (key: K) => number): Pruned {
    const old = page.filter(({ at }) => at < before)
    const deleted = old.reduce((sum, { key }) => sum + forget(key), 0)
    const last = old.at(-1)
    return { deleted, next: last && old.length === PRUNE_AT_ONCE ? String(last.key) : undefined }
  }

  return {
    prunePayments: (before, after) =>
      commits.write(() => prune(agedPayments.all({ after: Number(after) }), before, forgetPayment)),

    pruneCodes: (before, after) =>
      commits.write(() => prune(agedCodes.all({ after }), before, (id) => dropCode.run({ id }).changes)),

    pruneIdempotencyKeys: (at) =>
      commits.write(() => {
        const over = orm
          .select({ id: idempotencyKeys.id })
          .from(idempotencyKeys)
          .where(lte(idempotencyKeys.expiresAt, at))
          .limit(PRUNE_AT_ONCE)
          .all()
        for (const { id } of over) orm.delete(idempotencyKeys).where(eq(idempotencyKeys.id, id)).run()
        return { deleted: over.length, next: over.length === PRUNE_AT_ONCE ? '' : undefined }
      }),
  }
}
