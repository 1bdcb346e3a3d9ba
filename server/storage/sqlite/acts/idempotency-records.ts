import { and, eq, gt, lte } from 'drizzle-orm'
import type { IdempotencyRecords, KeptOutcome, Outcome } from '../../../idempotency/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { idempotencyKeys } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/** Expired rows that one request deletes: more than the one that it adds, and few enough to be quick. */
const DELETED_AT_ONCE = 5

export function createIdempotencyRecords({ orm, commits }: OpenDatabase, vault: Vault): IdempotencyRecords {
  const outcomes = sealedFields(vault, 'idempotencyKeys')

  function deleteExpired(at: number) {
    const expired = orm
      .select({ id: idempotencyKeys.id })
      .from(idempotencyKeys)
      .where(lte(idempotencyKeys.expiresAt, at))
      .limit(DELETED_AT_ONCE)
      .all()
    for (const { id } of expired) orm.delete(idempotencyKeys).where(eq(idempotencyKeys.id, id)).run()
  }

  return {
    find: reading((key, at) => {
      const id = key.toString('hex')
      const live = and(eq(idempotencyKeys.id, id), gt(idempotencyKeys.expiresAt, at))
      const row = orm.select().from(idempotencyKeys).where(live).get()
      return row && parsed(outcomes.read(id, 'sealed', row.sealed))
    }),

    keep(key, kept, at, expiresAt) {
      return commits.write(() => {
        deleteExpired(at)
        const id = key.toString('hex')
        const sealed = outcomes.seal(id, 'sealed', written(kept))
        orm
          .insert(idempotencyKeys)
          .values({ id, sealed, expiresAt })
          .onConflictDoUpdate({
            target: idempotencyKeys.id,
            set: { sealed, expiresAt },
            setWhere: lte(idempotencyKeys.expiresAt, at),
          })
          .run()
      })
    },
  }
}

function written({ request, outcome }: KeptOutcome): string {
  return JSON.stringify({ request: request.toString('base64'), outcome })
}

function parsed(text: string): KeptOutcome {
  // The vault opens only texts that it has sealed: this one comes from `written`.
  const { request, outcome } = JSON.parse(text) as { request: string; outcome: Outcome }
  return { request: Buffer.from(request, 'base64'), outcome }
}
