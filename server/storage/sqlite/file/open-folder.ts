import { existsSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { createVault, type Vault } from '../../../security/vault.ts'
import type { StorageOptions } from '../../options.ts'
import { WrongMasterKey } from '../../shared/storage-errors.ts'
import { isSealedUnder } from '../engine/canary.ts'
import { connect, withLook } from '../engine/database.ts'
import { type FileStorage, lookIntoSqliteStorage, openSqliteStorage, type SqliteStorage } from '../storage.ts'
import type { DataFolder } from './data-folder.ts'
import { makeOnFirstStart, refuseEmptyDatabase } from './first-start.ts'

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

/** Opens the database of a data folder, and makes it at the first start. `scrubbed`: see FileStorage. */
export function openFolder<S extends FileStorage>(
  { folder, masterKey, ...options }: OpenFolderOptions,
  open: OpenStorage<S>,
): Promise<{ storage: S; vault: Vault; scrubbed: boolean }> {
  return twice(async () => {
    makeOnFirstStart(folder, masterKey)
    const key = masterKey ?? keyInForce(folder)
    const vault = createVault(key)
    const storage = await open(folder.databaseFile, key, { ...options, vault })
    return { storage, vault, scrubbed: storage.scrubbed }
  })
}

/** As `openFolder`, to read alone: it makes, migrates and settles nothing. */
export function lookIntoFolder({ folder, masterKey, ...options }: OpenFolderOptions): Promise<SqliteStorage> {
  const { databaseFile, keys } = folder
  return twice(async () => {
    refuseEmptyDatabase(databaseFile)
    const key = masterKey ?? keys.inForce((key) => withLook(databaseFile, (sqlite) => opens(sqlite, key)))
    return lookIntoSqliteStorage(databaseFile, { ...options, vault: createVault(key) })
  })
}

/** A rotation may have ended after the key was read and before the database was opened: then it tries once more. */
async function twice<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error
    return open()
  }
}

/** The master key of the folder's key file. Finishes or discards a rotation that was cut short. */
export function keyInForce({ keys, databaseFile }: DataFolder): Buffer {
  if (!keys.isUnsettled()) return keys.current()
  if (!existsSync(databaseFile)) return keys.settle(() => false)
  // After its first read the open connection keeps rotations out: a rotation needs the file for itself.
  const sqlite = connect(databaseFile, {}, (opened) => void opened.pragma('schema_version'))
  try {
    return keys.settle((key) => opens(sqlite, key))
  } finally {
    sqlite.close()
  }
}

function opens(sqlite: Database.Database, key: Buffer): boolean {
  return isSealedUnder(sqlite, createVault(key)) === true
}
