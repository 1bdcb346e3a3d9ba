import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { ClientSecret } from '../../../partners/partner.ts'
import type { PartnerRecords } from '../../../partners/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { ReadCache } from '../engine/read-cache.ts'
import { partnerSecrets, partners, tokenFamilies } from '../schema/schema.ts'

export function createPartnerRecords(
  { orm, writing, revisions, audit }: OpenDatabase,
  vault: Vault,
  readCache: ReadCache,
  rules: Pick<StorageRules, 'liveSecrets' | 'endingSecrets'>,
  newId: () => string,
): PartnerRecords {
  const secrets = sealedFields(vault, 'partnerSecrets')
  const cachedSecrets = readCache.of<ClientSecret[]>()
  // Secrets that ended long ago stay in the table, and no rule asks for them.
  const notEnded = orm
    .select()
    .from(partnerSecrets)
    .where(
      and(
        eq(partnerSecrets.clientId, sql.placeholder('clientId')),
        or(isNull(partnerSecrets.expiresAt), gt(partnerSecrets.expiresAt, sql.placeholder('at'))),
      ),
    )
    .prepare()
  const findPartner = (clientId: string) =>
    orm.select().from(partners).where(eq(partners.clientId, clientId)).get()
  const secretRows = (clientId: string, at: number) => notEnded.all({ clientId, at }).map(withoutNulls)

  function readSecrets(clientId: string, at: number): ClientSecret[] | undefined {
    const live = rules.liveSecrets(secretRows(clientId, at), at)
    const opened = live.map((row) => ({
      secret: secrets.read(row.id, 'sealed', row.sealed),
      expiresAt: row.expiresAt,
    }))
    return opened.length > 0 ? opened : undefined
  }

  function addSecret(clientId: string, secret: string, at: number) {
    const id = newId()
    const sealed = secrets.seal(id, 'sealed', secret)
    orm.insert(partnerSecrets).values({ id, clientId, sealed, createdAt: at }).run()
  }

  return {
    create: writing((partner, secret) => {
      const { clientId, name, createdAt } = partner
      orm.insert(partners).values({ clientId, name, createdAt }).run()
      addSecret(clientId, secret, createdAt)
      audit.note({ at: createdAt, action: 'partner.create', subject: clientId, details: { name } })
    }),

    find: reading((clientId) => {
      const row = findPartner(clientId)
      return row && withoutNulls(row)
    }),

    list: reading(() => {
      const rows = orm.select().from(partners).orderBy(partners.createdAt, partners.clientId).all()
      return rows.map(withoutNulls)
    }),

    disable: writing((clientId, at) => {
      const found = findPartner(clientId)
      if (!found) return false
      if (found.disabledAt !== null) return true
      orm.update(partners).set({ disabledAt: at }).where(eq(partners.clientId, clientId)).run()
      revisions.raise('grants')
      audit.note({ at, action: 'partner.disable', subject: clientId })
      return true
    }),

    enable: writing((clientId, at) => {
      const found = findPartner(clientId)
      if (!found) return false
      if (found.disabledAt === null) return true
      orm.update(partners).set({ disabledAt: null }).where(eq(partners.clientId, clientId)).run()
      const live = and(eq(tokenFamilies.clientId, clientId), isNull(tokenFamilies.revokedAt))
      orm.update(tokenFamilies).set({ revokedAt: at }).where(live).run()
      revisions.raise('grants')
      audit.note({ at, action: 'partner.enable', subject: clientId })
      return true
    }),

    rotateSecret: writing((clientId, secret, at, oldExpiresAt) => {
      if (!findPartner(clientId)) return false
      const ending = rules.endingSecrets(secretRows(clientId, at), at, oldExpiresAt)
      for (const { secret: old, expiresAt } of ending)
        orm.update(partnerSecrets).set({ expiresAt }).where(eq(partnerSecrets.id, old.id)).run()
      addSecret(clientId, secret, at)
      revisions.raise('grants')
      const details = { oldSecretExpiresAt: new Date(oldExpiresAt).toISOString() }
      audit.note({ at, action: 'partner.rotate-secret', subject: clientId, details })
      return true
    }),

    liveSecrets: reading((clientId, at) => {
      const secrets = cachedSecrets(clientId, () => readSecrets(clientId, at))
      // A secret that was live when it was cached may have ended since.
      return secrets?.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at) ?? []
    }),
  }
}
