import { existsSync } from 'node:fs'
import { createVault, type Vault } from '../../../security/vault.ts'
import { isSealedUnder, WrongMasterKey } from '../engine/canary.ts'
import { connect } from '../engine/database.ts'
import { type FileStorage, openSqliteStorage, type SqliteStorage, type StorageOptions } from '../storage.ts'
import type { DataFolder } from './data-folder.ts'

/** Opens a storage. Rejects with an OperatorError when it can't be used. */
export type OpenStorage<S extends FileStorage = FileStorage> = (
  file: string,
  masterKey: Buffer,
  options: StorageOptions,
) => Promise<S>

/** Opens the storage in the caller's thread. */
export const openHere: OpenStorage<SqliteStorage> = async (file, _masterKey, options) =>
  openSqliteStorage(file, options)

export interface OpenFolderOptions extends Omit<StorageOptions, 'vault'> {
  folder: DataFolder
  /** The master key of the settings. Undefined: the one of the folder's key file. */
  masterKey: Buffer | undefined
}

/** Opens the database of a data folder. `scrubbed`: see FileStorage. */
export async function openFolder<S extends FileStorage>(
  { folder, masterKey, ...options }: OpenFolderOptions,
  open: OpenStorage<S>,
): Promise<{ storage: S; vault: Vault; scrubbed: boolean }> {
  async function openUnderKey() {
    const key = masterKey ?? keyInForce(folder)
    const vault = createVault(key)
    const storage = await open(folder.databaseFile, key, { ...options, vault })
    return { storage, vault, scrubbed: storage.scrubbed }
  }
  try {
    return await openUnderKey()
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error
    // A rotation may have ended after the key was read and before the database was opened: try once more.
    return openUnderKey()
  }
}

/** The master key of the folder's key file. Finishes or discards a rotation that was cut short. */
export function keyInForce({ keys, databaseFile }: DataFolder): Buffer {
  if (!keys.isUnsettled()) return keys.current()
  if (!existsSync(databaseFile)) return keys.settle(() => false)
  // After its first read the open connection keeps rotations out: a rotation needs the file for itself.
  const sqlite = connect(databaseFile, {}, (opened) => void opened.pragma('schema_version'))
  try {
    return keys.settle((key) => isSealedUnder(sqlite, createVault(key)) === true)
  } finally {
    sqlite.close()
  }
}
