import { and, eq, gt, lte } from 'drizzle-orm'
import type { IdempotencyRecords } from '../../../idempotency/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import { readOutcome, writeOutcome } from '../../shared/kept-outcome.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { OpenDatabase, Orm } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { idempotencyKeys } from '../schema/schema.ts'

export function createIdempotencyRecords({ orm, writing }: OpenDatabase, vault: Vault): IdempotencyRecords {
  const outcomes = sealedFields(vault, 'idempotencyKeys')

  return {
    find: reading((key, at) => {
      const id = key.toString('hex')
      const live = and(eq(idempotencyKeys.id, id), gt(idempotencyKeys.expiresAt, at))
      const row = orm.select().from(idempotencyKeys).where(live).get()
      return row && readOutcome(outcomes.read(id, 'sealed', row.sealed))
    }),

    keep: writing((key, kept, at, expiresAt) => {
      const id = key.toString('hex')
      const sealed = outcomes.seal(id, 'sealed', writeOutcome(kept))
      orm
        .insert(idempotencyKeys)
        .values({ id, sealed, expiresAt })
        .onConflictDoUpdate({
          target: idempotencyKeys.id,
          set: { sealed, expiresAt },
          setWhere: lte(idempotencyKeys.expiresAt, at),
        })
        .run()
    }),
  }
}

/** Deletes outcomes that have expired at a time, up to a limit. */
export function deleteExpiredOutcomes(sqlite: Orm['$client']) {
  return sqlite.prepare<[at: number, limit: number]>(
    `DELETE FROM idempotency_keys
     WHERE id IN (SELECT k.id FROM idempotency_keys k WHERE k.expires_at <= ? LIMIT ?)`,
  )
}
