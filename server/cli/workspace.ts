import { existsSync } from 'node:fs'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { type DataFolder, openDataFolder } from '../data-folder.ts'
import { OperatorError } from '../errors.ts'
import { createRandomIds, type Ids } from '../ids.ts'
import { isSealedUnder } from '../storage/sqlite/canary.ts'
import { connect } from '../storage/sqlite/database.ts'
import { lockForOneHub } from '../storage/sqlite/hub-lock.ts'
import { keyInForce, openFolder } from '../storage/sqlite/open-folder.ts'
import { rotateMasterKey } from '../storage/sqlite/rotate-key.ts'
import type { KeyChange, KeyRotation, Storage } from '../storage/storage.ts'
import { createVault } from '../vault.ts'

/** What a command works with: the hub's own data folder, whether or not a hub is running on it. */
export interface Workspace {
  config: Config
  folder: DataFolder
  storage: Storage
  clock: Clock
  ids: Ids
}

/** Opens the data folder that the settings name, runs `act` on it, and closes it again. */
export async function inWorkspace<T>(act: (workspace: Workspace) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const folder = openDataFolder(config.dataDir)
  const ids = createRandomIds()
  const { storage } = openFolder(folder, config.masterKey, ids.uuid)
  try {
    return await act({ config, folder, storage, clock: systemClock, ids })
  } finally {
    storage.close()
  }
}

/** A data folder on which no hub runs for as long as a command works on it. */
export interface IdleFolder {
  config: Config
  folder: DataFolder
  /** Whether the database is sealed under that master key. */
  isSealedUnder(key: Buffer): boolean
  rotateMasterKey(change: KeyChange): KeyRotation
}

/** Runs `act` on the data folder that the settings name; an OperatorError when there is nothing, or a hub runs. */
export async function inIdleFolder<T>(act: (idle: IdleFolder) => T): Promise<T> {
  const config = readConfig(process.env)
  const folder = openDataFolder(config.dataDir)
  const { databaseFile, lockFile } = folder
  if (!existsSync(databaseFile))
    throw new OperatorError(
      `There is no database in ${config.dataDir}: set HUB_DATA_DIR to the hub's folder.`,
    )
  const release = lockForOneHub(
    lockFile,
    'A hub is running on this data folder: stop it first, and start it again afterwards.',
  )
  try {
    return act({
      config,
      folder,
      isSealedUnder(key) {
        const sqlite = connect(databaseFile, {}, () => undefined)
        try {
          return isSealedUnder(sqlite, createVault(key)) === true
        } finally {
          sqlite.close()
        }
      },
      rotateMasterKey: (change) =>
        rotateMasterKey(databaseFile, createVault(config.masterKey ?? keyInForce(folder)), change),
    })
  } finally {
    release()
  }
}
