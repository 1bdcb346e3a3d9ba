import type { ClientBase } from 'pg'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { WrongMasterKey } from '../../shared/wrong-master-key.ts'

/**
 * Adds the canary to a database without one, and throws when the database is sealed under another master key. When two
 * processes add it at once, the first canary stays.
 */
export async function layCanary(client: ClientBase, vault: Vault) {
  const canary = sealedFields(vault, 'vaultCanary')
  await client.query('INSERT INTO vault_canary (id, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING', [
    canary.seal(1, 'sealed', 'canary'),
  ])
  await checkCanary(client, vault)
}

/** Throws when the database is sealed under another master key. */
export async function checkCanary(client: ClientBase, vault: Vault) {
  const canary = sealedFields(vault, 'vaultCanary')
  const { rows } = await client.query<{ sealed: Buffer }>('SELECT sealed FROM vault_canary WHERE id = 1')
  try {
    for (const { sealed } of rows) canary.open(1, 'sealed', sealed)
  } catch {
    throw new WrongMasterKey()
  }
}
