import { OperatorError } from '../../errors.ts'
import type { Vault } from '../../vault.ts'
import type { OpenDatabase } from './database.ts'
import { vaultCanary } from './schema.ts'

const PLACE = 'vault_canary/1/sealed'

/**
 * Makes sure that the master key is the one that this database was made with. Without this look a hub with a
 * wrong key would start, and then fail every payment.
 */
export function checkMasterKey({ orm }: OpenDatabase, vault: Vault) {
  orm
    .insert(vaultCanary)
    .values({ id: 1, sealed: vault.seal(PLACE, 'canary') })
    .onConflictDoNothing({ target: vaultCanary.id })
    .run()
  const row = orm.select().from(vaultCanary).get()
  try {
    if (row) vault.open(PLACE, row.sealed)
  } catch {
    throw new OperatorError(
      'The master key is not the one that this database was made with: put back its key file, or set HUB_MASTER_KEY to it.',
    )
  }
}
