import { and, eq, lte, sql } from 'drizzle-orm'
import type { AccessGrant, TokenPair, TokenRecords } from '../../../partners/ports.ts'
import type { StorageRules } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { ReadCache } from '../engine/read-cache.ts'
import { partners, tokenFamilies, tokens } from '../schema/schema.ts'

/** Families that one login deletes at most, so that no login pays for many. */
const DELETED_AT_ONCE = 20

interface FoundToken {
  token: typeof tokens.$inferSelect
  family: typeof tokenFamilies.$inferSelect
  disabledAt: number | null
}

export function createTokenRecords(
  { orm, commits, revisions }: OpenDatabase,
  readCache: ReadCache,
  { judgeRefresh, familyKeptMs }: Pick<StorageRules, 'judgeRefresh' | 'familyKeptMs'>,
): TokenRecords {
  const cachedGrants = readCache.of<AccessGrant>()
  const findGrant = orm
    .select({
      clientId: tokenFamilies.clientId,
      expiresAt: tokens.expiresAt,
      revokedAt: tokenFamilies.revokedAt,
      disabledAt: partners.disabledAt,
    })
    .from(tokens)
    .innerJoin(tokenFamilies, eq(tokenFamilies.id, tokens.familyId))
    .innerJoin(partners, eq(partners.clientId, tokenFamilies.clientId))
    .where(and(eq(tokens.hash, sql.placeholder('hash')), eq(tokens.kind, 'access')))
    .prepare()

  function findRefresh(hash: Buffer): FoundToken | undefined {
    return orm
      .select({ token: tokens, family: tokenFamilies, disabledAt: partners.disabledAt })
      .from(tokens)
      .innerJoin(tokenFamilies, eq(tokenFamilies.id, tokens.familyId))
      .innerJoin(partners, eq(partners.clientId, tokenFamilies.clientId))
      .where(and(eq(tokens.hash, hash), eq(tokens.kind, 'refresh')))
      .get()
  }

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

  function deleteOld(at: number) {
    const old = orm
      .select({ id: tokenFamilies.id })
      .from(tokenFamilies)
      .where(lte(tokenFamilies.expiresAt, at - familyKeptMs))
      .limit(DELETED_AT_ONCE)
      .all()
    for (const { id } of old) orm.delete(tokenFamilies).where(eq(tokenFamilies.id, id)).run()
    if (old.length > 0) revisions.raise('grants')
  }

  function judge({ token, family, disabledAt }: FoundToken, at: number) {
    const { newestGeneration, newestSince, expiresAt: familyExpiresAt } = family
    const { generation, used } = token
    const ends = { familyRevoked: family.revokedAt !== null, partnerDisabled: disabledAt !== null }
    return judgeRefresh({ newestGeneration, newestSince, generation, used, familyExpiresAt, ...ends }, at)
  }

  function readGrant(hash: Buffer): AccessGrant | undefined {
    const row = findGrant.get({ hash })
    if (!row || row.revokedAt !== null) return undefined
    return { clientId: row.clientId, expiresAt: row.expiresAt, disabled: row.disabledAt !== null }
  }

  return {
    start(family, pair, at) {
      return commits.write(() => {
        deleteOld(at)
        orm
          .insert(tokenFamilies)
          .values({ ...family, newestGeneration: 1, newestSince: at })
          .run()
        addPair(family.id, 1, pair, family.expiresAt)
      })
    },

    grant: reading((accessHash) => {
      return cachedGrants(accessHash.toString('latin1'), () => readGrant(accessHash))
    }),

    ownerOf: reading((refreshHash, at) => {
      const found = findRefresh(refreshHash)
      return found && ['next', 'again'].includes(judge(found, at)) ? found.family.clientId : undefined
    }),

    rotate(refreshHash, next, at) {
      return commits.write(() => {
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
          return { kind: 'reused' }
        }
        if (verdict === 'next') {
          orm.update(tokens).set({ used: true }).where(eq(tokens.hash, refreshHash)).run()
          orm
            .update(tokenFamilies)
            .set({ newestGeneration: family.newestGeneration + 1, newestSince: at })
            .where(mine)
            .run()
        }
        addPair(family.id, token.generation + 1, next, family.expiresAt)
        return { kind: 'rotated', clientId: family.clientId, familyExpiresAt: family.expiresAt }
      })
    },
  }
}
