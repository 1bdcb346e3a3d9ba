import { and, eq, gt, lte } from 'drizzle-orm'
import type { IdempotencyRecords, KeptOutcome, Outcome } from '../../../idempotency/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { idempotencyKeys } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/** Rows that one request may clean up: more than the one it adds, so that they get fewer, and few enough to be quick. */
const FORGET_AT_ONCE = 5

export function createIdempotencyRecords({ orm, commits }: OpenDatabase, vault: Vault): IdempotencyRecords {
  const outcomes = sealedFields(vault, 'idempotencyKeys')

  function forgetSome(at: number) {
    const over = orm
      .select({ id: idempotencyKeys.id })
      .from(idempotencyKeys)
      .where(lte(idempotencyKeys.expiresAt, at))
      .limit(FORGET_AT_ONCE)
      .all()
    for (const { id } of over) orm.delete(idempotencyKeys).where(eq(idempotencyKeys.id, id)).run()
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
        forgetSome(at)
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
  // The vault authenticates what it opens: this is the text that was written above.
  const { request, outcome } = JSON.parse(text) as { request: string; outcome: Outcome }
  return { request: Buffer.from(request, 'base64'), outcome }
}
