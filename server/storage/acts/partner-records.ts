import type { ClientSecret, Partner } from '../../partners/partner.ts'
import type { PartnerRecords } from '../../partners/ports.ts'
import type { Actor } from '../../security/actor.ts'
import type { StorageRules } from '../rules.ts'
import { sealedFields } from '../shared/sealed-columns.ts'
import { withoutNulls } from '../shared/without-nulls.ts'
import { type Act, type Engine, row, rows } from './act.ts'
import { noteChange } from './audit-trail.ts'

type PartnerRow = Omit<Partner, 'disabledAt'> & { disabledAt: number | null }

const COLUMNS = 'client_id AS "clientId", name, created_at AS "createdAt", disabled_at AS "disabledAt"'

export function createPartnerRecords(
  engine: Engine,
  rules: Pick<StorageRules, 'liveSecrets' | 'endingSecrets'>,
  newId: () => string,
): PartnerRecords {
  const { reading, writing, raise, cachedByGrants, vault } = engine
  const secrets = sealedFields(vault, 'partnerSecrets')
  const cachedSecrets = cachedByGrants<(ClientSecret & { createdAt: number })[]>()

  function* addSecret(clientId: string, secret: string, at: number) {
    const id = newId()
    yield* rows(
      'partners.addSecret',
      'INSERT INTO partner_secrets (id, client_id, sealed, created_at) VALUES ($1, $2, $3, $4)',
      [id, clientId, secrets.seal(id, 'sealed', secret), at],
    )
  }

  return {
    create: writing(function* (by, { clientId, name, createdAt: at }, secret) {
      yield* rows(
        'partners.create',
        'INSERT INTO partners (client_id, name, created_at) VALUES ($1, $2, $3)',
        [clientId, name, at],
      )
      yield* addSecret(clientId, secret, at)
      yield* noteChange({ by, at, action: 'partner.create', subject: clientId, details: { name } })
    }),

    find: reading(findPartner),

    list: reading(function* () {
      const order = 'ORDER BY created_at, client_id'
      const found = yield* rows<PartnerRow>('partners.list', `SELECT ${COLUMNS} FROM partners ${order}`)
      return found.map(withoutNulls)
    }),

    disable: writing((by, clientId, at) => setDisabled(engine, by, clientId, true, at)),

    enable: writing((by, clientId, at) => setDisabled(engine, by, clientId, false, at)),

    rotateSecret: writing(function* (by, clientId, secret, at, oldExpiresAt) {
      if (!(yield* lockPartner(engine, clientId))) return false
      yield* endSecrets(rules.endingSecrets(yield* secretRows(clientId, at), at, oldExpiresAt))
      yield* addSecret(clientId, secret, at)
      const details = { oldSecretExpiresAt: new Date(oldExpiresAt).toISOString() }
      yield* noteChange({ by, at, action: 'partner.rotate-secret', subject: clientId, details })
      yield* raise('grants')
      return true
    }),

    async liveSecrets(clientId, at) {
      const found = await cachedSecrets(clientId, function* () {
        const stored = yield* secretRows(clientId, at)
        // No answer is not cached: a client id that nobody has may be sent by anybody.
        if (stored.length === 0) return undefined
        return stored.map(({ id, sealed, ...term }) => ({
          ...term,
          secret: secrets.read(id, 'sealed', sealed),
        }))
      })
      const live = rules.liveSecrets(found ?? [], at)
      return live.map(({ secret, expiresAt }) => ({ secret, expiresAt }))
    },
  }
}

function* findPartner(clientId: string): Act<Partner | undefined> {
  const text = `SELECT ${COLUMNS} FROM partners WHERE client_id = $1`
  const found = yield* row<PartnerRow>('partners.find', text, [clientId])
  return found && withoutNulls(found)
}

function* lockPartner({ lock }: Pick<Engine, 'lock'>, clientId: string): Act<Partner | undefined> {
  yield* lock('partners.lock', 'SELECT 1 FROM partners WHERE client_id = $1', [clientId])
  return yield* findPartner(clientId)
}

/** A partner that is enabled must log in again: somebody else may hold its earlier tokens by now. */
function* setDisabled(
  engine: Pick<Engine, 'lock' | 'raise'>,
  by: Actor,
  clientId: string,
  isDisabled: boolean,
  at: number,
): Act<boolean> {
  const found = yield* lockPartner(engine, clientId)
  if (!found) return false
  if ((found.disabledAt !== undefined) === isDisabled) return true
  yield* rows('partners.setDisabledAt', 'UPDATE partners SET disabled_at = $2 WHERE client_id = $1', [
    clientId,
    isDisabled ? at : null,
  ])
  if (!isDisabled)
    yield* rows(
      'partners.revokeFamilies',
      'UPDATE token_families SET revoked_at = $2 WHERE client_id = $1 AND revoked_at IS NULL',
      [clientId, at],
    )
  const action = isDisabled ? 'partner.disable' : 'partner.enable'
  yield* noteChange({ by, at, action, subject: clientId })
  yield* engine.raise('grants')
  return true
}

/** The secrets that have not ended. Those that ended long ago stay in the table, and no rule asks for them. */
function* secretRows(clientId: string, at: number) {
  const found = yield* rows<{ id: string; sealed: Buffer; createdAt: number; expiresAt: number | null }>(
    'partners.secrets',
    `SELECT id, sealed, created_at AS "createdAt", expires_at AS "expiresAt" FROM partner_secrets
     WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at, id`,
    [clientId, at],
  )
  return found.map(withoutNulls)
}

function* endSecrets(ending: readonly { secret: { id: string }; expiresAt: number }[]): Act<void> {
  for (const { secret, expiresAt } of ending)
    yield* rows('partners.endSecret', 'UPDATE partner_secrets SET expires_at = $2 WHERE id = $1', [
      secret.id,
      expiresAt,
    ])
}
