import type { ClientBase } from 'pg'
import { OperatorError } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { WrongMasterKey } from '../../shared/storage-errors.ts'
import { hasTable } from '../schema/migrate.ts'

/**
 * Adds the canary to a database without one. When two processes add it at once, the first canary stays: check the keys
 * afterwards.
 */
export async function layCanary(client: ClientBase, vault: Vault) {
  const canary = sealedFields(vault, 'vaultCanary')
  await client.query('INSERT INTO vault_canary (id, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING', [
    canary.seal(1, 'sealed', 'canary'),
  ])
}

/**
 * Throws when the vault lacks the master key that the database is sealed under, or one that rows may still need. Changes
 * nothing. A database that no hub has migrated yet passes, as far as it has no tables.
 */
export async function checkMasterKeys(client: ClientBase, vault: Vault) {
  const canary = sealedFields(vault, 'vaultCanary')
  try {
    for (const { sealed } of await rowsOf<{ sealed: Buffer }>(client, 'vault_canary'))
      canary.open(1, 'sealed', sealed)
  } catch {
    throw new WrongMasterKey()
  }
  const previous = await rowsOf<{ id: string; given_up_at: number | null }>(client, 'previous_master_keys')
  const lacked = previous.find((key) => key.given_up_at === null && !vault.keyIds.includes(key.id))
  if (lacked)
    throw new OperatorError(
      `Rows of the database may still be sealed under the previous master key (${lacked.id}): set HUB_NEXT_MASTER_KEY to it, until hub master-key rotate has ended.`,
    )
}

/** The rows of a small table. None where there is no such table. */
async function rowsOf<R>(client: ClientBase, table: string): Promise<R[]> {
  if (!(await hasTable(client, table))) return []
  const { rows } = await client.query(`SELECT * FROM ${table}`)
  // The caller knows the columns of the table.
  return rows as R[]
}
