import type { AccessGrant, TokenPair, TokenRecords } from '../../partners/ports.ts'
import type { Actor } from '../../security/actor.ts'
import type { StorageRules } from '../rules.ts'
import { type Act, type Engine, row, rows } from './act.ts'
import { countChanges, noteChange } from './audit-trail.ts'

/** One audit row counts the logins of a partner in this time. */
const AUDITED_TOGETHER_MS = 60 * 60_000

/** A token with its family and its partner. */
interface TokenRow {
  familyId: string
  clientId: string
  expiresAt: number
  generation: number
  used: boolean | number
  familyExpiresAt: number
  newestGeneration: number
  newestSince: number
  revokedAt: number | null
  disabledAt: number | null
}

export function createTokenRecords(
  engine: Engine,
  { judgeRefresh }: Pick<StorageRules, 'judgeRefresh'>,
): TokenRecords {
  const { reading, writing, raise, lock, cachedByGrants } = engine
  const cachedGrant = cachedByGrants<AccessGrant>()

  function judged({ used, revokedAt, disabledAt, ...token }: TokenRow, at: number) {
    const ends = { familyRevoked: revokedAt !== null, partnerDisabled: disabledAt !== null }
    return judgeRefresh({ ...token, ...ends, used: Boolean(used) }, at)
  }

  function* revokeFamily(by: Actor, { familyId, clientId }: TokenRow, at: number): Act<void> {
    yield* rows('tokens.revoke', 'UPDATE token_families SET revoked_at = $2 WHERE id = $1', [familyId, at])
    const details = { reason: 'a replaced refresh token was used again' }
    yield* noteChange({ by, at, action: 'token.revoke', subject: clientId, details })
    yield* raise('grants')
  }

  return {
    start: writing(function* (by, { id, clientId, expiresAt }, pair, at) {
      yield* rows(
        'tokens.start',
        `INSERT INTO token_families (id, client_id, expires_at, newest_generation, newest_since)
         VALUES ($1, $2, $3, 1, $4)`,
        [id, clientId, expiresAt, at],
      )
      yield* addPair(id, 1, pair, expiresAt)
      const change = { by, at, action: 'token.start', subject: clientId } as const
      yield* countChanges(engine, change, 1, AUDITED_TOGETHER_MS)
    }),

    grant: (accessHash) => cachedGrant(accessHash.toString('latin1'), () => readGrant(accessHash)),

    judge: reading(function* (refreshHash, at) {
      const found = yield* find(refreshHash, 'refresh')
      return found && { clientId: found.clientId, verdict: judged(found, at) }
    }),

    rotate: writing(function* (by, refreshHash, next, at) {
      yield* lock(
        'tokens.lockFamily',
        `SELECT 1 FROM token_families
         WHERE id = (SELECT family_id FROM tokens WHERE hash = $1 AND kind = 'refresh')`,
        [refreshHash],
      )
      const found = yield* find(refreshHash, 'refresh')
      if (!found) return { kind: 'unknown' }
      const verdict = judged(found, at)
      if (verdict === 'reuse') yield* revokeFamily(by, found, at)
      if (verdict === 'reuse' || verdict === 'revoked') return { kind: 'reused' }
      if (verdict === 'expired' || verdict === 'disabled') return { kind: verdict }
      const { familyId, clientId, familyExpiresAt, generation } = found
      if (verdict === 'next') yield* setNewest(found, refreshHash, at)
      yield* addPair(familyId, generation + 1, next, familyExpiresAt)
      return { kind: 'rotated', clientId, familyExpiresAt }
    }),
  }
}

function find(hash: Buffer, kind: 'access' | 'refresh'): Act<TokenRow | undefined> {
  return row<TokenRow>(
    'tokens.find',
    `SELECT family_id AS "familyId", client_id AS "clientId", t.expires_at AS "expiresAt", generation, used,
       f.expires_at AS "familyExpiresAt", newest_generation AS "newestGeneration",
       newest_since AS "newestSince", revoked_at AS "revokedAt", disabled_at AS "disabledAt"
     FROM tokens t JOIN token_families f ON f.id = family_id JOIN partners USING (client_id)
     WHERE hash = $1 AND kind = $2`,
    [hash, kind],
  )
}

function* readGrant(accessHash: Buffer): Act<AccessGrant | undefined> {
  const found = yield* find(accessHash, 'access')
  if (!found || found.revokedAt !== null) return undefined
  const { clientId, expiresAt, disabledAt } = found
  return { clientId, expiresAt, disabled: disabledAt !== null }
}

function addPair(familyId: string, generation: number, pair: TokenPair, refreshExpiresAt: number) {
  return rows(
    'tokens.addPair',
    `INSERT INTO tokens (hash, family_id, kind, generation, expires_at, used)
     VALUES ($1, $3, 'access', $4, $5, false), ($2, $3, 'refresh', $4, $6, false)`,
    [pair.accessHash, pair.refreshHash, familyId, generation, pair.accessExpiresAt, refreshExpiresAt],
  )
}

/** Begins the next generation, of which the presented token makes the pair. */
function* setNewest({ familyId, newestGeneration }: TokenRow, refreshHash: Buffer, at: number): Act<void> {
  yield* rows('tokens.use', 'UPDATE tokens SET used = true WHERE hash = $1', [refreshHash])
  yield* rows(
    'tokens.setNewest',
    'UPDATE token_families SET newest_generation = $2, newest_since = $3 WHERE id = $1',
    [familyId, newestGeneration + 1, at],
  )
}
