import { HUB } from '../../../security/actor.ts'
import type { Pruned, Retention } from '../../ports.ts'
import { NEWEST } from '../../shared/pages.ts'
import { type Act, type Engine, row } from '../act.ts'
import { countChanges, noteChange } from '../audit-trail.ts'
import { dropSums } from '../payments/day-sums.ts'
import { pruneEnded, pruneRows } from './aged-rows.ts'
import { pruneEvents } from './events.ts'
import { createPaymentPruning, type DeletedPaymentRows, type Remember } from './payments.ts'

/** One audit row counts the payments that were deleted in this time. */
const AUDITED_TOGETHER_MS = 24 * 60 * 60_000

const PRUNE = { by: HUB, action: 'payment.prune', subject: '' } as const

const CODES = { table: 'verification_codes', key: 'id', at: 'issued_at' }
const AUDIT = { table: 'audit', key: 'id', at: 'at' }

/** Drops whole partitions, where tables have them. Each call does one step; `next` is defined when there is another one. */
export interface WholePartitions {
  prunePayments(
    receivedBefore: number,
    at: number,
    remember: Remember,
    audited: (deleted: number) => Act<void>,
  ): Promise<Pruned>
  pruneEvents(before: number): Promise<Pruned>
}

/**
 * Deletes old rows in the order of their primary keys. Row numbers rise and ids are UUIDs of version 7, so that is the
 * order of age, and no payment writes an index by age. The time in the row decides whether it is deleted.
 * Held by test/server/storage/contract/retention.ts.
 */
export function createRetention(
  engine: Engine,
  deletedRows: DeletedPaymentRows,
  partitions: WholePartitions | undefined,
): Retention {
  const { reading, writing, raise } = engine
  const payments = createPaymentPruning(engine, deletedRows)
  const audited = (at: number) => (deleted: number) =>
    countChanges(engine, { ...PRUNE, at }, deleted, AUDITED_TOGETHER_MS)
  const prunePaymentRows = writing(function* (before: number, after: string, at: number) {
    const pruned = yield* payments.prunePayments(before, after, at)
    yield* dropSums(before)
    // Last: other transactions wait here.
    if (pruned.deleted > 0) yield* audited(at)(pruned.deleted)
    return pruned
  })
  const pruneEventRows = writing((before: number, after: string) => pruneEvents(engine, before, after))

  return {
    async prunePayments(before, after, at) {
      const rows = await prunePaymentRows(before, after, at)
      if (rows.next !== undefined || !partitions) return rows
      const whole = await partitions.prunePayments(before, at, payments.remember, audited(at))
      return both(rows, whole, after)
    },

    forgetDeleted: writing(payments.forgetDeleted),

    async pruneEvents(before, after) {
      const rows = await pruneEventRows(before, after)
      if (rows.next !== undefined || !partitions) return rows
      return both(rows, await partitions.pruneEvents(before), after)
    },

    pruneCodes: writing((before, after) => pruneRows(CODES, before, after, "state <> 'outstanding'")),

    pruneTokens: writing(function* (endedBefore) {
      const pruned = yield* pruneEnded(engine, 'token_families', 'expires_at < $1', endedBefore)
      if (pruned.deleted > 0) yield* raise('grants')
      return pruned
    }),

    pruneIdempotencyKeys: writing((at) => pruneEnded(engine, 'idempotency_keys', 'expires_at <= $1', at)),

    pruneAudit: writing((before, after) => pruneRows(AUDIT, before, Number(after))),

    newestReceivedAt: reading(function* () {
      const newest = yield* row<{ at: number | null }>(
        'retention.newest',
        `SELECT max(received_at) AS at FROM payments WHERE number > (SELECT max(number) FROM payments) - ${NEWEST}`,
      )
      return newest?.at ?? undefined
    }),

    noteClock: writing((by, action, at, details) => noteChange({ by, at, action, subject: '', details })),
  }
}

/** Of the rows that are deleted one by one none is left; of those with their partition there may be. */
const both = (rows: Pruned, { deleted, next }: Pruned, after: string): Pruned => ({
  ...rows,
  deleted: rows.deleted + deleted,
  next: next === undefined ? undefined : (rows.reached ?? after),
})
