import type { IdempotencyRecords } from '../../../idempotency/ports.ts'
import { readOutcome, writeOutcome } from '../../shared/kept-outcome.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'

export function createIdempotencyRecords({ read, write, vault }: PostgresDatabase): IdempotencyRecords {
  const outcomes = sealedFields(vault, 'idempotencyKeys')

  return {
    async find(key, at) {
      const id = key.toString('hex')
      const [row] = await read<{ sealed: Buffer }>(
        'idempotency.find',
        'SELECT sealed FROM idempotency_keys WHERE id = $1 AND expires_at > $2',
        [id, at],
      )
      return row && readOutcome(outcomes.read(id, 'sealed', row.sealed))
    },

    keep: (key, kept, at, expiresAt) =>
      write(async (tx) => {
        const id = key.toString('hex')
        await tx.query(
          'idempotency.keep',
          `INSERT INTO idempotency_keys (id, sealed, expires_at) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at
           WHERE idempotency_keys.expires_at <= $4`,
          [id, outcomes.seal(id, 'sealed', writeOutcome(kept)), expiresAt, at],
        )
      }),
  }
}

/** Deletes outcomes that have expired at a time, up to a limit. Leaves those that another transaction works on. */
export async function deleteExpiredOutcomes(tx: Tx, at: number, limit: number): Promise<number> {
  const deleted = await tx.query(
    'idempotency.deleteExpired',
    `DELETE FROM idempotency_keys WHERE id = ANY (ARRAY(
       SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
     )) RETURNING id`,
    [at, limit],
  )
  return deleted.length
}
