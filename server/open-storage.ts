import type { AtStart, OpenPostgresDeps, WaitDeps } from './open-postgres.ts'
import type { Config } from './platform/config.ts'
import type { Logger } from './platform/log.ts'
import type { Vault } from './security/vault.ts'
import type { Storage } from './storage/ports.ts'
import type { DataFolder } from './storage/sqlite/file/data-folder.ts'
import { makeOnFirstStart } from './storage/sqlite/file/first-start.ts'
import { lockForOneHub } from './storage/sqlite/file/hub-lock.ts'
import { type OpenStorage, openFolder } from './storage/sqlite/file/open-folder.ts'

/** Makes the data folder and takes what one hub alone may have of it. The returned function gives it back. */
export function claimFolder(
  folder: DataFolder,
  { masterKey, postgres }: Config,
  log: Pick<Logger, 'warn'>,
): () => void {
  for (const path of folder.make())
    log.warn({ path }, 'other users could open it: now it is for this user alone')
  if (postgres) return () => undefined
  // Before the lock, whose file tells of an earlier hub.
  makeOnFirstStart(folder, masterKey)
  return lockForOneHub(folder.lockFile)
}

/** Opens the database that the settings name: in the data folder, or in PostgreSQL. */
export async function openStorage(
  { masterKey, postgres }: Config,
  folder: DataFolder,
  { log, openStorage, ...options }: OpenPostgresDeps & { log: Logger; openStorage: OpenStorage },
): Promise<{ storage: Storage; vault: Vault }> {
  if (postgres) {
    // A hub on SQLite starts without loading the driver.
    const { openPostgres } = await import('./open-postgres.ts')
    return openPostgres(postgres, options)
  }
  const { storage, vault, scrubbed } = await openFolder({ ...options, folder, masterKey }, openStorage)
  if (!scrubbed)
    log.warn(
      'the database still holds values that were given up: make room for two more copies of it, and start again',
    )
  return { storage, vault }
}

/** How the steps of a start that need the storage are carried out: with a wait for PostgreSQL, if the hub is on it. */
export async function startSteps({ postgres }: Config, deps: WaitDeps): Promise<AtStart> {
  if (!postgres) return (step) => step()
  const { waitForPostgres } = await import('./open-postgres.ts')
  return waitForPostgres(postgres.waitMs, deps)
}
