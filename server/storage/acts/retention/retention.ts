import { HUB } from '../../../security/actor.ts'
import type { Retention } from '../../ports.ts'
import { NEWEST } from '../../shared/pages.ts'
import { type Engine, row } from '../act.ts'
import { countChanges, noteChange } from '../audit-trail.ts'
import { pruneEnded, pruneRows } from './aged-rows.ts'
import { pruneEvents } from './events.ts'
import { createPaymentPruning, type DeletedPaymentRows } from './payments.ts'

/** One audit row counts the payments that were deleted in this time. */
const AUDITED_TOGETHER_MS = 24 * 60 * 60_000

const PRUNE = { by: HUB, action: 'payment.prune', subject: '' } as const

const CODES = { table: 'verification_codes', key: 'id', at: 'issued_at' }
const AUDIT = { table: 'audit', key: 'id', at: 'at' }

/**
 * Deletes old rows in the order of their primary keys. Row numbers rise and ids are UUIDs of version 7, so that is the
 * order of age, and no payment writes an index by age. The time in the row decides whether it is deleted.
 * Held by test/server/storage/contract/retention.ts.
 */
export function createRetention(engine: Engine, deletedRows: DeletedPaymentRows): Retention {
  const { reading, writing, raise } = engine
  const payments = createPaymentPruning(engine, deletedRows)

  return {
    prunePayments: writing(function* (before, after, at) {
      const pruned = yield* payments.prunePayments(before, after, at)
      if (pruned.deleted > 0)
        yield* countChanges(engine, { ...PRUNE, at }, pruned.deleted, AUDITED_TOGETHER_MS)
      return pruned
    }),

    forgetDeleted: writing(payments.forgetDeleted),

    pruneEvents: writing((before, after) => pruneEvents(engine, before, after)),

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
