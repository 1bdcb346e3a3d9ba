import { and, eq, sql } from 'drizzle-orm'
import type { AccessGrant, TokenPair, TokenRecords } from '../../../partners/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { ReadCache } from '../engine/read-cache.ts'
import { partners, tokenFamilies, tokens } from '../schema/schema.ts'

/** One audit row counts the logins of a partner in this time. */
const AUDITED_TOGETHER_MS = 60 * 60_000

export function createTokenRecords(
  { orm, writing, revisions, audit }: OpenDatabase,
  readCache: ReadCache,
  { judgeRefresh }: Pick<StorageRules, 'judgeRefresh'>,
): TokenRecords {
  const cachedGrants = readCache.of<AccessGrant>()
  const byHash = orm
    .select({ token: tokens, family: tokenFamilies, disabledAt: partners.disabledAt })
    .from(tokens)
    .innerJoin(tokenFamilies, eq(tokenFamilies.id, tokens.familyId))
    .innerJoin(partners, eq(partners.clientId, tokenFamilies.clientId))
    .where(and(eq(tokens.hash, sql.placeholder('hash')), eq(tokens.kind, sql.placeholder('kind'))))
    .prepare()
  const findRefresh = (hash: Buffer) => byHash.get({ hash, kind: 'refresh' })

  function addPair(familyId: string, generation: number, pair: TokenPair, refreshExpiresAt: number) {
    const common = { familyId, generation, used: false }
    orm
      .insert(tokens)
      .values([
        { ...common, hash: pair.accessHash, kind: 'access', expiresAt: pair.accessExpiresAt },
        { ...common, hash: pair.refreshHash, kind: 'refresh', expiresAt: refreshExpiresAt },
      ])
      .run()
  }

  function judge({ token, family, disabledAt }: NonNullable<ReturnType<typeof findRefresh>>, at: number) {
    const { newestGeneration, newestSince, expiresAt: familyExpiresAt } = family
    const { generation, used } = token
    const ends = { familyRevoked: family.revokedAt !== null, partnerDisabled: disabledAt !== null }
    return judgeRefresh({ newestGeneration, newestSince, generation, used, familyExpiresAt, ...ends }, at)
  }

  function readGrant(hash: Buffer): AccessGrant | undefined {
    const found = byHash.get({ hash, kind: 'access' })
    if (!found || found.family.revokedAt !== null) return undefined
    const { token, family, disabledAt } = found
    return { clientId: family.clientId, expiresAt: token.expiresAt, disabled: disabledAt !== null }
  }

  return {
    start: writing((family, pair, at) => {
      const newest = { newestGeneration: 1, newestSince: at }
      orm
        .insert(tokenFamilies)
        .values({ ...family, ...newest })
        .run()
      addPair(family.id, 1, pair, family.expiresAt)
      const { clientId } = family
      audit.count({ at, action: 'token.start', subject: clientId, clientId }, 1, AUDITED_TOGETHER_MS)
    }),

    grant: reading((accessHash) => {
      return cachedGrants(accessHash.toString('latin1'), () => readGrant(accessHash))
    }),

    judge: reading((refreshHash, at) => {
      const found = findRefresh(refreshHash)
      return found && { clientId: found.family.clientId, verdict: judge(found, at) }
    }),

    rotate: writing((refreshHash, next, at) => {
      const found = findRefresh(refreshHash)
      if (!found) return { kind: 'unknown' }
      const { token, family } = found
      const mine = eq(tokenFamilies.id, family.id)
      const verdict = judge(found, at)
      if (verdict === 'expired' || verdict === 'disabled') return { kind: verdict }
      if (verdict === 'revoked') return { kind: 'reused' }
      if (verdict === 'reuse') {
        orm.update(tokenFamilies).set({ revokedAt: at }).where(mine).run()
        revisions.raise('grants')
        const details = { reason: 'a replaced refresh token was used again' }
        audit.note({ at, action: 'token.revoke', subject: family.clientId, details })
        return { kind: 'reused' }
      }
      if (verdict === 'next') {
        orm.update(tokens).set({ used: true }).where(eq(tokens.hash, refreshHash)).run()
        const newest = { newestGeneration: family.newestGeneration + 1, newestSince: at }
        orm.update(tokenFamilies).set(newest).where(mine).run()
      }
      addPair(family.id, token.generation + 1, next, family.expiresAt)
      return { kind: 'rotated', clientId: family.clientId, familyExpiresAt: family.expiresAt }
    }),
  }
}
