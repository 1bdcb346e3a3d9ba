import { existsSync } from 'node:fs'
import { createVault, type Vault } from '../../../security/vault.ts'
import type { Storage, StorageIds, StorageObserver } from '../../ports.ts'
import { connect } from '../engine/database.ts'
import { openSqliteStorage, type SqliteStorage, type StorageOptions } from '../storage.ts'
import { isSealedUnder, WrongMasterKey } from './canary.ts'
import type { DataFolder } from './data-folder.ts'

/** How a storage is opened; an OperatorError when it can't be. */
export type OpenStorage<S extends Storage = Storage> = (
  file: string,
  masterKey: Buffer,
  options: Pick<StorageOptions, 'vault' | 'ids' | 'observe'>,
) => S

/** Opens the storage in the thread that asks for it. */
export const openHere: OpenStorage<SqliteStorage> = (file, _masterKey, options) =>
  openSqliteStorage(file, options)

/** Opens the database of a data folder under the settings' master key, or else under that of its key file. */
export function openFolder<S extends Storage>(
  { folder, masterKey, ids, observe }: OpenFolderOptions,
  open: OpenStorage<S>,
): { storage: S; vault: Vault } {
  const openUnderKey = () => {
    const key = masterKey ?? keyInForce(folder)
    const vault = createVault(key)
    return { storage: open(folder.databaseFile, key, { vault, ids, ...(observe && { observe }) }), vault }
  }
  try {
    return openUnderKey()
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error
    // A rotation may have ended between the look at the key and the look at the database: look again, once.
    return openUnderKey()
  }
}

export interface OpenFolderOptions {
  folder: DataFolder
  /** That of the settings. */
  masterKey: Buffer | undefined
  ids: StorageIds
  observe?: StorageObserver
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
