import { existsSync } from 'node:fs'
import type { DataFolder } from '../../data-folder.ts'
import { createVault, type Vault } from '../../vault.ts'
import type { Storage, StorageObserver } from '../storage.ts'
import { isSealedUnder, WrongMasterKey } from './canary.ts'
import { connect } from './database.ts'
import { openSqliteStorage } from './storage.ts'

/** Opens the database of a data folder under the settings' master key, or else under that of its key file. */
export function openFolder(
  folder: DataFolder,
  configured: Buffer | undefined,
  newId: () => string,
  observe?: StorageObserver,
): { storage: Storage; vault: Vault } {
  const open = () => {
    const vault = createVault(configured ?? keyInForce(folder))
    return { storage: openSqliteStorage(folder.databaseFile, vault, newId, observe), vault }
  }
  try {
    return open()
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error
    // A rotation may have ended between the look at the key and the look at the database: look again, once.
    return open()
  }
}

/** The master key of the folder's key file; a rotation that was cut short is finished or discarded first. */
export function keyInForce({ keys, databaseFile }: DataFolder): Buffer {
  if (!keys.isUnsettled()) return keys.current()
  if (!existsSync(databaseFile)) return keys.settle(() => false)
  // From its first read on an open connection keeps rotations away, which take the file alone.
  const sqlite = connect(databaseFile, {}, (opened) => void opened.pragma('schema_version'))
  try {
    return keys.settle((key) => isSealedUnder(sqlite, createVault(key)) === true)
  } finally {
    sqlite.close()
  }
}
