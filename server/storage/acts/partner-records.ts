import type { Partner } from '../../partners/partner.ts'
import type { PartnerRecords } from '../../partners/ports.ts'
import type { StorageRules } from '../rules.ts'
import { sealedFields } from '../shared/sealed-columns.ts'
import { withoutNulls } from '../shared/without-nulls.ts'
import { type Act, type Engine, row, rows } from './act.ts'

interface SecretRow {
  id: string
  sealed: Buffer
  createdAt: number
  expiresAt: number | null
}

interface OpenedSecret {
  secret: string
  createdAt: number
  expiresAt: number | undefined
}

type PartnerRow = Omit<Partner, 'disabledAt'> & { disabledAt: number | null }

const COLUMNS = 'client_id AS "clientId", name, created_at AS "createdAt", disabled_at AS "disabledAt"'

export function createPartnerRecords(
  { reading, writing, audit, raise, lock, cachedByGrants, vault }: Engine,
  rules: Pick<StorageRules, 'liveSecrets' | 'endingSecrets'>,
  newId: () => string,
): PartnerRecords {
  const secrets = sealedFields(vault, 'partnerSecrets')
  const cachedSecrets = cachedByGrants<OpenedSecret[]>()

  function* find(clientId: string): Act<Partner | undefined> {
    const found = yield* row<PartnerRow>(
      'partners.find',
      `SELECT ${COLUMNS} FROM partners WHERE client_id = $1`,
      [clientId],
    )
    return found && withoutNulls(found)
  }

  function* lockAndFind(clientId: string): Act<Partner | undefined> {
    yield* lock('partners.lock', 'SELECT 1 FROM partners WHERE client_id = $1', [clientId])
    return yield* find(clientId)
  }

  /** The secrets that have not ended. Those that ended long ago stay in the table, and no rule asks for them. */
  function* secretRows(clientId: string, at: number) {
    const found = yield* rows<SecretRow>(
      'partners.secrets',
      `SELECT id, sealed, created_at AS "createdAt", expires_at AS "expiresAt" FROM partner_secrets
       WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at, id`,
      [clientId, at],
    )
    return found.map(withoutNulls)
  }

  function* readSecrets(clientId: string, at: number): Act<OpenedSecret[] | undefined> {
    const found = yield* secretRows(clientId, at)
    // Not cached when there is none: a client id that nobody has may be sent by anybody.
    if (found.length === 0) return undefined
    return found.map(({ id, sealed, ...row }) => ({ ...row, secret: secrets.read(id, 'sealed', sealed) }))
  }

  function* addSecret(clientId: string, secret: string, at: number) {
    const id = newId()
    yield* rows(
      'partners.addSecret',
      'INSERT INTO partner_secrets (id, client_id, sealed, created_at) VALUES ($1, $2, $3, $4)',
      [id, clientId, secrets.seal(id, 'sealed', secret), at],
    )
  }

  const setDisabledAt = (clientId: string, at: number | null) =>
    rows('partners.setDisabledAt', 'UPDATE partners SET disabled_at = $2 WHERE client_id = $1', [
      clientId,
      at,
    ])

  return {
    create: writing(function* ({ clientId, name, createdAt }, secret) {
      yield* rows(
        'partners.create',
        'INSERT INTO partners (client_id, name, created_at) VALUES ($1, $2, $3)',
        [clientId, name, createdAt],
      )
      yield* addSecret(clientId, secret, createdAt)
      yield* audit.note({ at: createdAt, action: 'partner.create', subject: clientId, details: { name } })
    }),

    find: reading(find),

    list: reading(function* () {
      const found = yield* rows<PartnerRow>(
        'partners.list',
        `SELECT ${COLUMNS} FROM partners ORDER BY created_at, client_id`,
      )
      return found.map(withoutNulls)
    }),

    disable: writing(function* (clientId, at) {
      const found = yield* lockAndFind(clientId)
      if (!found) return false
      if (found.disabledAt !== undefined) return true
      yield* setDisabledAt(clientId, at)
      yield* audit.note({ at, action: 'partner.disable', subject: clientId })
      yield* raise('grants')
      return true
    }),

    enable: writing(function* (clientId, at) {
      const found = yield* lockAndFind(clientId)
      if (!found) return false
      if (found.disabledAt === undefined) return true
      yield* setDisabledAt(clientId, null)
      yield* rows(
        'partners.revokeFamilies',
        'UPDATE token_families SET revoked_at = $2 WHERE client_id = $1 AND revoked_at IS NULL',
        [clientId, at],
      )
      yield* audit.note({ at, action: 'partner.enable', subject: clientId })
      yield* raise('grants')
      return true
    }),

    rotateSecret: writing(function* (clientId, secret, at, oldExpiresAt) {
      if (!(yield* lockAndFind(clientId))) return false
      const ending = rules.endingSecrets(yield* secretRows(clientId, at), at, oldExpiresAt)
      for (const { secret: old, expiresAt } of ending)
        yield* rows('partners.endSecret', 'UPDATE partner_secrets SET expires_at = $2 WHERE id = $1', [
          old.id,
          expiresAt,
        ])
      yield* addSecret(clientId, secret, at)
      const details = { oldSecretExpiresAt: new Date(oldExpiresAt).toISOString() }
      yield* audit.note({ at, action: 'partner.rotate-secret', subject: clientId, details })
      yield* raise('grants')
      return true
    }),

    async liveSecrets(clientId, at) {
      const found = await cachedSecrets(clientId, () => readSecrets(clientId, at))
      const live = rules.liveSecrets(found ?? [], at)
      return live.map(({ secret, expiresAt }) => ({ secret, expiresAt }))
    },
  }
}
