import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import type { Pruned, Retention } from '../storage.ts'
import { isOpen, isUnseen } from './announcement-conditions.ts'
import type { OpenDatabase } from './database.ts'
import { announcements, devices, idempotencyKeys, payments, verificationCodes } from './schema.ts'

/** Rows of one commit, which payments that arrive meanwhile wait for: in a large file each row costs several pages. */
export const PRUNE_AT_ONCE = 25

const value = sql.placeholder

interface Aged {
  id: string
  at: number
}

/**
 * Why by id: ids are UUIDs of version 7, so that the primary key is in the order of age, and no index by age need be
 * written with every payment. What is deleted is decided by the row's own time.
 * Held by test/server/storage/retention.test.ts.
 */
export function createRetention({ orm, commits }: OpenDatabase): Retention {
  const agedPayments = orm
    .select({ id: payments.id, at: payments.receivedAt })
    .from(payments)
    .where(gt(payments.id, value('after')))
    .orderBy(asc(payments.id))
    .limit(PRUNE_AT_ONCE)
    .prepare()
  const agedCodes = orm
    .select({ id: verificationCodes.id, at: verificationCodes.issuedAt })
    .from(verificationCodes)
    .where(gt(verificationCodes.id, value('after')))
    .orderBy(asc(verificationCodes.id))
    .limit(PRUNE_AT_ONCE)
    .prepare()
  const owed = orm
    .select({ id: announcements.id })
    .from(announcements)
    .innerJoin(devices, eq(devices.id, announcements.deviceId))
    // A revoked device is never told anything again.
    .where(
      and(eq(announcements.paymentId, value('id')), or(isOpen, and(isUnseen, isNull(devices.revokedAt)))),
    )
    .limit(1)
    .prepare()
  const dropAnnouncements = orm
    .delete(announcements)
    .where(eq(announcements.paymentId, value('id')))
    .prepare()
  const dropPayment = orm
    .delete(payments)
    .where(eq(payments.id, value('id')))
    .prepare()
  const dropCode = orm
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.id, value('id')), sql`${verificationCodes.state} <> 'outstanding'`))
    .prepare()

  function forgetPayment(id: string): number {
    if (owed.get({ id })) return 0
    dropAnnouncements.run({ id })
    return dropPayment.run({ id }).changes
  }

  /** Goes through one page; the first row that is young enough ends the pass. */
  function prune(page: Aged[], before: number, forget: (id: string) => number): Pruned {
    const old = page.filter(({ at }) => at < before)
    const deleted = old.reduce((sum, { id }) => sum + forget(id), 0)
    return { deleted, next: old.length === PRUNE_AT_ONCE ? old.at(-1)?.id : undefined }
  }

  return {
    prunePayments: (before, after) =>
      commits.write(() => prune(agedPayments.all({ after }), before, forgetPayment)),

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
