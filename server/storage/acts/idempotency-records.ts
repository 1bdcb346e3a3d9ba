import type { IdempotencyRecords, KeptOutcome, Outcome } from '../../idempotency/ports.ts'
import { sealedFields } from '../shared/sealed-columns.ts'
import { type Engine, row, rows } from './act.ts'

export function createIdempotencyRecords({ reading, writing, vault }: Engine): IdempotencyRecords {
  const outcomes = sealedFields(vault, 'idempotencyKeys')

  return {
    find: reading(function* (key, at) {
      const id = key.toString('hex')
      const found = yield* row<{ sealed: Buffer }>(
        'idempotency.find',
        'SELECT sealed FROM idempotency_keys WHERE id = $1 AND expires_at > $2',
        [id, at],
      )
      return found && readOutcome(outcomes.read(id, 'sealed', found.sealed))
    }),

    keep: writing(function* (key, kept, at, expiresAt) {
      const id = key.toString('hex')
      yield* rows(
        'idempotency.keep',
        `INSERT INTO idempotency_keys (id, sealed, expires_at) VALUES ($1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at
         WHERE idempotency_keys.expires_at <= $4`,
        [id, outcomes.seal(id, 'sealed', writeOutcome(kept)), expiresAt, at],
      )
    }),
  }
}

/** The text of an outcome, to be sealed. */
function writeOutcome({ request, outcome }: KeptOutcome): string {
  return JSON.stringify({ request: request.toString('base64'), outcome })
}

function readOutcome(text: string): KeptOutcome {
  // The vault opens only texts that it has sealed: this one comes from `writeOutcome`.
  const { request, outcome } = JSON.parse(text) as { request: string; outcome: Outcome }
  return { request: Buffer.from(request, 'base64'), outcome }
}
