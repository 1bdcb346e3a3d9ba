import { type Clock, systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { type DataFolder, openDataFolder } from '../data-folder.ts'
import { createRandomIds, type Ids } from '../ids.ts'
import { openSqliteStorage } from '../storage/sqlite/storage.ts'
import type { Storage } from '../storage/storage.ts'
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
  const vault = createVault(config.masterKey ?? folder.masterKey())
  const ids = createRandomIds()
  const storage = openSqliteStorage(folder.databaseFile, vault, ids.uuid)
  try {
    return await act({ config, folder, storage, clock: systemClock, ids })
  } finally {
    storage.close()
  }
}
