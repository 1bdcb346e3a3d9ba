import { and, eq, gt, lte } from 'drizzle-orm'
import type { IdempotencyRecords, KeptOutcome, Outcome } from '../../idempotency/ports.ts'
import type { Vault } from '../../vault.ts'
import type { OpenDatabase } from './database.ts'
import { idempotencyKeys } from './schema.ts'

/** Rows that one request may clean up: more than the one it adds, so that they get fewer, and few enough to be quick. */
const FORGET_AT_ONCE = 5

const place = (hash: Buffer) => `idempotency_keys/${hash.toString('hex')}/sealed`

export function createIdempotencyRecords({ orm, commits }: OpenDatabase, vault: Vault): IdempotencyRecords {
  function forgetSome(at: number) {
    const over = orm
      .select({ hash: idempotencyKeys.hash })
      .from(idempotencyKeys)
      .where(lte(idempotencyKeys.expiresAt, at))
      .limit(FORGET_AT_ONCE)
      .all()
    for (const { hash } of over) orm.delete(idempotencyKeys).where(eq(idempotencyKeys.hash, hash)).run()
  }

  return {
    async find(key, at) {
      const live = and(eq(idempotencyKeys.hash, key), gt(idempotencyKeys.expiresAt, at))
      const row = orm.select().from(idempotencyKeys).where(live).get()
      return row && open(vault, key, row.sealed)
    },

    keep(key, kept, at, expiresAt) {
      return commits.write(() => {
        forgetSome(at)
        const sealed = seal(vault, key, kept)
        orm
          .insert(idempotencyKeys)
          .values({ hash: key, sealed, expiresAt })
          .onConflictDoUpdate({
            target: idempotencyKeys.hash,
            set: { sealed, expiresAt },
            setWhere: lte(idempotencyKeys.expiresAt, at),
          })
          .run()
      })
    },
  }
}

function seal(vault: Vault, key: Buffer, { request, outcome }: KeptOutcome): Buffer {
  return vault.seal(place(key), JSON.stringify({ request: request.toString('base64'), outcome }))
}

function open(vault: Vault, key: Buffer, sealed: Buffer): KeptOutcome {
  // The vault authenticates what it opens: this is the text that was sealed above.
  const { request, outcome } = JSON.parse(vault.open(place(key), sealed).toString('utf8')) as {
    request: string
    outcome: Outcome
  }
  return { request: Buffer.from(request, 'base64'), outcome }
}
