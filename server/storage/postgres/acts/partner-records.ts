import type { Partner } from '../../../partners/partner.ts'
import type { PartnerRecords } from '../../../partners/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'

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

const COLUMNS = 'client_id AS "clientId", name, created_at AS "createdAt", disabled_at AS "disabledAt"'

export function createPartnerRecords(
  { read, write, revisions, audit, vault, cachedByGrants }: PostgresDatabase,
  rules: Pick<StorageRules, 'liveSecrets' | 'endingSecrets'>,
  newId: () => string,
): PartnerRecords {
  const secrets = sealedFields(vault, 'partnerSecrets')
  const cachedSecrets = cachedByGrants<OpenedSecret[]>()

  /** The secrets that have not ended. Those that ended long ago stay in the table, and no rule asks for them. */
  async function secretRows(query: Tx['query'], clientId: string, at: number) {
    const rows = await query<SecretRow>(
      'partners.secrets',
      `SELECT id, sealed, created_at AS "createdAt", expires_at AS "expiresAt" FROM partner_secrets
       WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at, id`,
      [clientId, at],
    )
    return rows.map(withoutNulls)
  }

  async function addSecret(tx: Tx, clientId: string, secret: string, at: number) {
    const id = newId()
    await tx.query(
      'partners.addSecret',
      'INSERT INTO partner_secrets (id, client_id, sealed, created_at) VALUES ($1, $2, $3, $4)',
      [id, clientId, secrets.seal(id, 'sealed', secret), at],
    )
  }

  /** Locks the partner. */
  async function lock(tx: Tx, clientId: string): Promise<{ disabledAt: number | null } | undefined> {
    const [row] = await tx.query<{ disabledAt: number | null }>(
      'partners.lock',
      'SELECT disabled_at AS "disabledAt" FROM partners WHERE client_id = $1 FOR NO KEY UPDATE',
      [clientId],
    )
    return row
  }

  async function setDisabledAt(tx: Tx, clientId: string, at: number | null) {
    await tx.query('partners.setDisabledAt', 'UPDATE partners SET disabled_at = $2 WHERE client_id = $1', [
      clientId,
      at,
    ])
  }

  return {
    create: ({ clientId, name, createdAt }, secret) =>
      write(async (tx) => {
        await tx.query(
          'partners.create',
          'INSERT INTO partners (client_id, name, created_at) VALUES ($1, $2, $3)',
          [clientId, name, createdAt],
        )
        await addSecret(tx, clientId, secret, createdAt)
        await audit.note(tx, {
          at: createdAt,
          action: 'partner.create',
          subject: clientId,
          details: { name },
        })
      }),

    async find(clientId) {
      const rows = await read<PartnerRow>(
        'partners.find',
        `SELECT ${COLUMNS} FROM partners WHERE client_id = $1`,
        [clientId],
      )
      return rows.map(withoutNulls)[0]
    },

    async list() {
      const rows = await read<PartnerRow>(
        'partners.list',
        `SELECT ${COLUMNS} FROM partners ORDER BY created_at, client_id`,
      )
      return rows.map(withoutNulls)
    },

    disable: (clientId, at) =>
      write(async (tx) => {
        const found = await lock(tx, clientId)
        if (!found) return false
        if (found.disabledAt !== null) return true
        await setDisabledAt(tx, clientId, at)
        await audit.note(tx, { at, action: 'partner.disable', subject: clientId })
        await revisions.raise(tx, 'grants')
        return true
      }),

    enable: (clientId, at) =>
      write(async (tx) => {
        const found = await lock(tx, clientId)
        if (!found) return false
        if (found.disabledAt === null) return true
        await setDisabledAt(tx, clientId, null)
        await tx.query(
          'partners.revokeFamilies',
          'UPDATE token_families SET revoked_at = $2 WHERE client_id = $1 AND revoked_at IS NULL',
          [clientId, at],
        )
        await audit.note(tx, { at, action: 'partner.enable', subject: clientId })
        await revisions.raise(tx, 'grants')
        return true
      }),

    rotateSecret: (clientId, secret, at, oldExpiresAt) =>
      write(async (tx) => {
        if (!(await lock(tx, clientId))) return false
        const ending = rules.endingSecrets(await secretRows(tx.query, clientId, at), at, oldExpiresAt)
        for (const { secret: old, expiresAt } of ending)
          await tx.query('partners.endSecret', 'UPDATE partner_secrets SET expires_at = $2 WHERE id = $1', [
            old.id,
            expiresAt,
          ])
        await addSecret(tx, clientId, secret, at)
        const details = { oldSecretExpiresAt: new Date(oldExpiresAt).toISOString() }
        await audit.note(tx, { at, action: 'partner.rotate-secret', subject: clientId, details })
        await revisions.raise(tx, 'grants')
        return true
      }),

    async liveSecrets(clientId, at) {
      const found = await cachedSecrets(clientId, async () => {
        const rows = await secretRows(read, clientId, at)
        // Not cached when there is none: a client id that nobody has may be sent by anybody.
        if (rows.length === 0) return undefined
        return rows.map(({ id, sealed, ...row }) => ({ ...row, secret: secrets.read(id, 'sealed', sealed) }))
      })
      const live = rules.liveSecrets(found ?? [], at)
      return live.map(({ secret, expiresAt }) => ({ secret, expiresAt }))
    },
  }
}

type PartnerRow = Omit<Partner, 'disabledAt'> & { disabledAt: number | null }
