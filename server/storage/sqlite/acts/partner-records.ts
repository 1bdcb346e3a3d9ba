import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { ClientSecret } from '../../../partners/partner.ts'
import type { PartnerRecords } from '../../../partners/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { KeptReads } from '../engine/read-cache.ts'
import { partnerSecrets, partners, tokenFamilies } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/** A partner has at most this many live secrets: the newest and the one being phased out. */
const LIVE_SECRETS = 2

export function createPartnerRecords(
  { orm, commits, revisions }: OpenDatabase,
  vault: Vault,
  kept: KeptReads,
  newId: () => string,
): PartnerRecords {
  const secrets = sealedFields(vault, 'partnerSecrets')
  const keptSecrets = kept.of<ClientSecret[]>()
  const live = orm
    .select()
    .from(partnerSecrets)
    .where(
      and(
        eq(partnerSecrets.clientId, sql.placeholder('clientId')),
        or(isNull(partnerSecrets.expiresAt), gt(partnerSecrets.expiresAt, sql.placeholder('at'))),
      ),
    )
    .orderBy(desc(partnerSecrets.createdAt))
    .limit(LIVE_SECRETS)
    .prepare()
  /** Opened secrets by id: what an id stands for never changes, so this can't be out of date. */
  const opened = new Map<string, string>()

  function open(id: string, sealed: Buffer): string {
    const known = opened.get(id)
    if (known !== undefined) return known
    const secret = secrets.read(id, 'sealed', sealed)
    opened.set(id, secret)
    return secret
  }

  function readSecrets(clientId: string, at: number): ClientSecret[] | undefined {
    const found = live.all({ clientId, at }).map((row) => ({
      secret: open(row.id, row.sealed),
      expiresAt: row.expiresAt ?? undefined,
    }))
    return found.length > 0 ? found : undefined
  }

  function addSecret(clientId: string, secret: string, at: number) {
    const id = newId()
    orm
      .insert(partnerSecrets)
      .values({ id, clientId, sealed: secrets.seal(id, 'sealed', secret), createdAt: at })
      .run()
  }

  return {
    create(partner, secret) {
      return commits.write(() => {
        const { clientId, name, createdAt } = partner
        orm.insert(partners).values({ clientId, name, createdAt }).run()
        addSecret(clientId, secret, createdAt)
      })
    },

    find: reading((clientId) => {
      const row = orm.select().from(partners).where(eq(partners.clientId, clientId)).get()
      return row && { ...row, disabledAt: row.disabledAt ?? undefined }
    }),

    list: reading(() => {
      const rows = orm.select().from(partners).orderBy(partners.createdAt, partners.clientId).all()
      return rows.map((row) => ({ ...row, disabledAt: row.disabledAt ?? undefined }))
    }),

    disable(clientId, at) {
      return commits.write(() => {
        if (!orm.select().from(partners).where(eq(partners.clientId, clientId)).get()) return false
        const open = and(eq(partners.clientId, clientId), isNull(partners.disabledAt))
        orm.update(partners).set({ disabledAt: at }).where(open).run()
        revisions.raise('grants')
        return true
      })
    },

    enable(clientId, at) {
      return commits.write(() => {
        const mine = eq(partners.clientId, clientId)
        const found = orm.select().from(partners).where(mine).get()
        if (!found) return false
        if (found.disabledAt === null) return true
        orm.update(partners).set({ disabledAt: null }).where(mine).run()
        const live = and(eq(tokenFamilies.clientId, clientId), isNull(tokenFamilies.revokedAt))
        orm.update(tokenFamilies).set({ revokedAt: at }).where(live).run()
        revisions.raise('grants')
        return true
      })
    },

    rotateSecret(clientId, secret, at, oldExpiresAt) {
      return commits.write(() => {
        const mine = eq(partnerSecrets.clientId, clientId)
        const current = orm
          .select()
          .from(partnerSecrets)
          .where(and(mine, isNull(partnerSecrets.expiresAt)))
          .get()
        if (!current) return false
        // A third secret never lives: what an earlier rotation was phasing out ends here.
        orm
          .update(partnerSecrets)
          .set({ expiresAt: at })
          .where(and(mine, gt(partnerSecrets.expiresAt, at)))
          .run()
        orm
          .update(partnerSecrets)
          .set({ expiresAt: oldExpiresAt })
          .where(eq(partnerSecrets.id, current.id))
          .run()
        addSecret(clientId, secret, at)
        revisions.raise('grants')
        return true
      })
    },

    liveSecrets: reading((clientId, at) => {
      const secrets = keptSecrets(clientId, () => readSecrets(clientId, at))
      // What was live as it was read may have ended since.
      return secrets?.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at) ?? []
    }),
  }
}
