import type { AccessGrant, TokenPair, TokenRecords } from '../../../partners/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'

/** One audit row counts the logins of a partner in this time. */
const AUDITED_TOGETHER_MS = 60 * 60_000

/** A token with its family and its partner. */
interface TokenRow {
  familyId: string
  clientId: string
  expiresAt: number
  generation: number
  used: boolean
  familyExpiresAt: number
  newestGeneration: number
  newestSince: number
  familyRevoked: boolean
  partnerDisabled: boolean
}

export function createTokenRecords(
  { read, write, revisions, audit, cachedByGrants }: PostgresDatabase,
  { judgeRefresh }: Pick<StorageRules, 'judgeRefresh'>,
): TokenRecords {
  const cachedGrant = cachedByGrants<AccessGrant>()

  async function find(query: Tx['query'], hash: Buffer, kind: 'access' | 'refresh') {
    const [row] = await query<TokenRow>(
      'tokens.find',
      `SELECT family_id AS "familyId", client_id AS "clientId", t.expires_at AS "expiresAt", generation, used,
         f.expires_at AS "familyExpiresAt", newest_generation AS "newestGeneration",
         newest_since AS "newestSince", revoked_at IS NOT NULL AS "familyRevoked",
         disabled_at IS NOT NULL AS "partnerDisabled"
       FROM tokens t JOIN token_families f ON f.id = family_id JOIN partners USING (client_id)
       WHERE hash = $1 AND kind = $2`,
      [hash, kind],
    )
    return row
  }

  /** Locks the family first: what the transaction before has written is seen by the next statement. */
  async function lock(tx: Tx, refreshHash: Buffer) {
    await tx.query(
      'tokens.lockFamily',
      `SELECT 1 FROM token_families
       WHERE id = (SELECT family_id FROM tokens WHERE hash = $1 AND kind = 'refresh') FOR NO KEY UPDATE`,
      [refreshHash],
    )
    return find(tx.query, refreshHash, 'refresh')
  }

  async function addPair(
    tx: Tx,
    familyId: string,
    generation: number,
    pair: TokenPair,
    refreshExpiresAt: number,
  ) {
    await tx.query(
      'tokens.addPair',
      `INSERT INTO tokens (hash, family_id, kind, generation, expires_at, used)
       VALUES ($1, $3, 'access', $4, $5, false), ($2, $3, 'refresh', $4, $6, false)`,
      [pair.accessHash, pair.refreshHash, familyId, generation, pair.accessExpiresAt, refreshExpiresAt],
    )
  }

  async function readGrant(accessHash: Buffer): Promise<AccessGrant | undefined> {
    const found = await find(read, accessHash, 'access')
    if (!found || found.familyRevoked) return undefined
    const { clientId, expiresAt, partnerDisabled } = found
    return { clientId, expiresAt, disabled: partnerDisabled }
  }

  return {
    start: (family, pair, at) =>
      write(async (tx) => {
        const { id, clientId, expiresAt } = family
        await tx.query(
          'tokens.start',
          `INSERT INTO token_families (id, client_id, expires_at, newest_generation, newest_since)
           VALUES ($1, $2, $3, 1, $4)`,
          [id, clientId, expiresAt, at],
        )
        await addPair(tx, id, 1, pair, expiresAt)
        const change = { at, action: 'token.start', subject: clientId, clientId } as const
        await audit.count(tx, change, 1, AUDITED_TOGETHER_MS)
      }),

    grant: (accessHash) => cachedGrant(accessHash.toString('latin1'), () => readGrant(accessHash)),

    async judge(refreshHash, at) {
      const found = await find(read, refreshHash, 'refresh')
      return found && { clientId: found.clientId, verdict: judgeRefresh(found, at) }
    },

    rotate: (refreshHash, next, at) =>
      write(async (tx) => {
        const found = await lock(tx, refreshHash)
        if (!found) return { kind: 'unknown' }
        const { familyId, clientId, familyExpiresAt, generation, newestGeneration } = found
        const verdict = judgeRefresh(found, at)
        if (verdict === 'expired' || verdict === 'disabled') return { kind: verdict }
        if (verdict === 'revoked') return { kind: 'reused' }
        if (verdict === 'reuse') {
          await tx.query('tokens.revoke', 'UPDATE token_families SET revoked_at = $2 WHERE id = $1', [
            familyId,
            at,
          ])
          const details = { reason: 'a replaced refresh token was used again' }
          await audit.note(tx, { at, action: 'token.revoke', subject: clientId, details })
          await revisions.raise(tx, 'grants')
          return { kind: 'reused' }
        }
        if (verdict === 'next') {
          await tx.query('tokens.use', 'UPDATE tokens SET used = true WHERE hash = $1', [refreshHash])
          await tx.query(
            'tokens.setNewest',
            'UPDATE token_families SET newest_generation = $2, newest_since = $3 WHERE id = $1',
            [familyId, newestGeneration + 1, at],
          )
        }
        await addPair(tx, familyId, generation + 1, next, familyExpiresAt)
        return { kind: 'rotated', clientId, familyExpiresAt }
      }),
  }
}
