import type Database from 'better-sqlite3'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { WrongMasterKey } from '../../shared/storage-errors.ts'
import { hasTable } from '../schema/migrate.ts'

/** Whether the canary opens. Undefined in a database without one. */
export function isSealedUnder(sqlite: Database.Database, vault: Vault): boolean | undefined {
  if (!hasTable(sqlite, 'vault_canary')) return undefined
  const sealed = sqlite.prepare<[], Buffer>('SELECT sealed FROM vault_canary WHERE id = 1').pluck().get()
  if (sealed === undefined) return undefined
  try {
    sealedFields(vault, 'vaultCanary').open(1, 'sealed', sealed)
    return true
  } catch {
    return false
  }
}

/** Throws when the database is sealed under another master key. Without this check the hub would start, and then fail every payment. */
export function checkMasterKey(sqlite: Database.Database, vault: Vault) {
  if (isSealedUnder(sqlite, vault) === false) throw new WrongMasterKey()
}

/** Adds the canary to a database without one. When two processes do it at once, the first canary stays. */
export function layCanary(sqlite: Database.Database, vault: Vault) {
  if (isSealedUnder(sqlite, vault) === undefined)
    sqlite
      .prepare('INSERT INTO vault_canary (id, sealed) VALUES (1, ?) ON CONFLICT DO NOTHING')
      .run(sealedFields(vault, 'vaultCanary').seal(1, 'sealed', 'canary'))
  checkMasterKey(sqlite, vault)
}
