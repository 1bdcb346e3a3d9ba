import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Clock, isoInstant, systemClock } from '../../platform/clock.ts'
import { type Config, readConfig } from '../../platform/config.ts'
import { OperatorError, reason } from '../../platform/errors.ts'
import { createRandomIds, type Ids } from '../../platform/ids.ts'
import type { Actor } from '../../security/actor.ts'
import { createVault, type Vault } from '../../security/vault.ts'
import type { Storage } from '../../storage/ports.ts'
import type { ServerReport } from '../../storage/postgres/engine/server-report.ts'
import type { Imported, ImportOptions } from '../../storage/postgres/import/import.ts'
import type { Resealed } from '../../storage/postgres/master-key/reseal.ts'
import type { Rotation } from '../../storage/postgres/master-key/rotation.ts'
import type { MasterKeyStatus } from '../../storage/postgres/master-key/status.ts'
import { hubRules } from '../../storage/rules.ts'
import { isSealedUnder } from '../../storage/sqlite/engine/canary.ts'
import { connectToLook, withLook } from '../../storage/sqlite/engine/database.ts'
import { type Backup, backUp } from '../../storage/sqlite/file/backup.ts'
import { type Addresses, type DataFolder, openDataFolder } from '../../storage/sqlite/file/data-folder.ts'
import { refuseEmptyDatabase, refuseLostDatabase } from '../../storage/sqlite/file/first-start.ts'
import { lockForOneHub } from '../../storage/sqlite/file/hub-lock.ts'
import { keyInForce, lookIntoFolder, openFolder, openHere } from '../../storage/sqlite/file/open-folder.ts'
import { type Restored, restore } from '../../storage/sqlite/file/restore.ts'
import { type KeyChange, type KeyRotation, rotateMasterKey } from '../../storage/sqlite/file/rotate-key.ts'
import type { FileStorage } from '../../storage/sqlite/storage.ts'

export type { LiveHub, ServerReport } from '../../storage/postgres/engine/server-report.ts'
export type { Imported } from '../../storage/postgres/import/import.ts'

interface Configured {
  config: Config
  folder: DataFolder
}

/** A hub that runs. One on the data folder says where it listens. */
export type RunningHub = Partial<Pick<Addresses, 'startedAt' | 'http' | 'box' | 'boxTls'>>

/** What a command works with: an open database, whether or not a hub is running on it. */
export interface Workspace extends Configured {
  /** The system user who runs the command. */
  by: Actor
  storage: Storage
  /** The hub that runs on the database; of several, the one that started first. Undefined: none runs. */
  running(): Promise<RunningHub | undefined>
  /** False while replaced values can still be found in the database's file. */
  scrubbed: boolean
  clock: Clock
  ids: Ids
}

/** The configuration and its data folder, whether that is there or not. */
export function configuredFolder(): Configured {
  const config = readConfig(process.env)
  return { config, folder: openDataFolder(config.dataDir) }
}

/** Runs `act` on the configured database, for a command that changes something. `makes`: also one that is not there yet. */
export async function inWorkspace<T>(
  act: (workspace: Workspace) => Promise<T>,
  { makes = false } = {},
): Promise<T> {
  const { postgres } = readConfig(process.env)
  if (postgres) return onPostgres(postgres, 'openPostgresStorage', configuredFolder(), act)
  const configured = makes ? configuredFolder() : configuredDatabase()
  if (makes) configured.folder.make()
  const { storage } = await openFolder(folderOptions(configured), openHere)
  return actOn(storage, configured, act)
}

/** As `inWorkspace`, for a command that only looks: it leaves everything as it is. */
export async function lookIntoWorkspace<T>(act: (workspace: Workspace) => Promise<T>): Promise<T> {
  const { postgres } = readConfig(process.env)
  if (postgres) return onPostgres(postgres, 'lookIntoPostgresStorage', configuredFolder(), act)
  const configured = configuredDatabase()
  return actOn(await lookIntoFolder(folderOptions(configured)), configured, act)
}

function folderOptions({ config, folder }: Configured) {
  return { folder, masterKey: config.masterKey, ...storageOptions() }
}

function storageOptions() {
  const ids = createRandomIds()
  return { ids, clock: systemClock, rules: hubRules(ids) }
}

async function onPostgres<T>(
  { url, masterKeys }: NonNullable<Config['postgres']>,
  open: 'openPostgresStorage' | 'lookIntoPostgresStorage',
  configured: Configured,
  act: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  // A command on SQLite starts without loading the driver.
  const postgres = await import('../../storage/postgres/storage.ts')
  const storage = await postgres[open](url, { ...storageOptions(), vault: createVault(...masterKeys) })
  const running = async () => (await reportPostgres(configured.config)).hubs[0]
  return actOn({ ...storage, scrubbed: true }, { ...configured, running }, act)
}

async function actOn<T>(
  storage: FileStorage,
  configured: Configured & Partial<Pick<Workspace, 'running'>>,
  act: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const { scrubbed } = storage
  const running = async () => configured.folder.readAddresses()
  try {
    return await act({
      running,
      ...configured,
      by: operator(),
      storage,
      scrubbed,
      clock: systemClock,
      ids: createRandomIds(),
    })
  } finally {
    await storage.close()
  }
}

/** What PostgreSQL says of itself and of the hubs on it. */
export async function reportPostgres({ postgres }: Config): Promise<ServerReport> {
  if (!postgres) throw new Error('the database is in the data folder')
  const { reportServer } = await import('../../storage/postgres/engine/server-report.ts')
  return reportServer(postgres.url, systemClock.now)
}

/** Refuses what only a database in the data folder can do. `instead` says what to do. */
function onlyInFolder({ config }: Configured, instead: string) {
  if (config.postgres) throw new OperatorError(`The database is in PostgreSQL: ${instead}.`)
}

/** The system user who runs the command. A container's user may have no name. */
function operator(): Actor {
  const named = (name: string): Actor => ({ kind: 'operator', name, from: 'command' })
  try {
    return named(userInfo().username)
  } catch {
    return named(`uid ${process.getuid?.() ?? 'unknown'}`)
  }
}

/** A data folder on which no hub can run while a command works on it. */
export interface IdleFolder extends Configured {
  /** Whether the database is sealed under this master key. */
  isSealedUnder(key: Buffer): boolean
  rotateMasterKey(change: KeyChange): KeyRotation
}

/** Runs `act` on the configured data folder; an OperatorError when it has no database or a hub runs on it. */
export function inIdleFolder<T>(act: (idle: IdleFolder) => T): Promise<T> {
  const configured = configuredDatabase()
  const { databaseFile } = configured.folder
  return withoutHub(configured.folder, () =>
    act({
      ...configured,
      isSealedUnder: (key) =>
        withLook(databaseFile, (sqlite) => isSealedUnder(sqlite, createVault(key)) === true),
      rotateMasterKey: (change) =>
        rotateMasterKey(databaseFile, vaultInForce(configured), change, operator()),
    }),
  )
}

/** What the master keys of a database in PostgreSQL are, and the id of the key in each setting. */
export async function masterKeysOfPostgres(): Promise<MasterKeyStatus & { given: Record<string, string> }> {
  const { postgres, masterKey, nextMasterKey } = readConfig(process.env)
  if (!postgres)
    throw new OperatorError(
      'The database is in the data folder, where master-key rotate changes all values in one commit: hub doctor names the key.',
    )
  const { masterKeyStatus } = await import('../../storage/postgres/master-key/status.ts')
  const given = Object.entries({ HUB_MASTER_KEY: masterKey, HUB_NEXT_MASTER_KEY: nextMasterKey }).flatMap(
    ([name, key]) => (key ? createVault(key).keyIds.map((id) => [name, id]) : []),
  )
  const status = await masterKeyStatus(postgres.url, createVault(...postgres.masterKeys))
  return { ...status, given: Object.fromEntries(given) }
}

/** Changes the master key of the database in PostgreSQL, beside running hubs. */
export async function rotateInPostgres(
  { url, masterKeys }: NonNullable<Config['postgres']>,
  nextMasterKey: Buffer,
  progress: (table: string, resealed: Resealed) => void,
): Promise<Rotation> {
  const { rotateOnline } = await import('../../storage/postgres/master-key/rotation.ts')
  const [next = ''] = createVault(nextMasterKey).keyIds
  return rotateOnline(url, createVault(...masterKeys), {
    ...{ next, by: operator(), clock: systemClock, onBatch: progress },
  })
}

/** Copies the database to a file; a hub may run on it. `key` names the master key that opens the copy. */
export function backUpFolder(file: string): Backup & { key: string } {
  onlyInFolder(
    configuredFolder(),
    'back it up by its own tools (pg_basebackup and its archive, or pg_dump), and keep HUB_MASTER_KEY in another place',
  )
  const configured = configuredDatabase()
  const { config, folder } = configured
  const key = config.masterKey ? 'HUB_MASTER_KEY' : folder.keys.file
  return { ...backUp(folder.databaseFile, file, vaultInForce(configured), operator()), key }
}

/** Replaces the data folder's database by a backup; no hub may run on it. */
export function restoreFolder(file: string, force: boolean): Promise<Restored> {
  const configured = configuredFolder()
  onlyInFolder(configured, 'stop every hub, restore it by its own tools, and start the hubs again')
  const { databaseFile, keys } = configured.folder
  if (!configured.config.masterKey && !existsSync(keys.file))
    throw new OperatorError(
      `There is no master key: put the one that the backup is sealed under to ${keys.file} (mode 0600), or set HUB_MASTER_KEY.`,
    )
  configured.folder.make()
  const aside = `${databaseFile}.before-${isoInstant(systemClock.now()).replaceAll(/[:.]/g, '-')}`
  return withoutHub(configured.folder, () =>
    restore(databaseFile, file, vaultInForce(configured), { force, aside, by: operator() }),
  )
}

/** Copies the database of a data folder, which is left as it is, to PostgreSQL; no hub may run on either. */
export async function importFolder(from: string, progress: ImportOptions['progress']): Promise<Imported> {
  const { postgres } = readConfig(process.env)
  if (!postgres)
    throw new OperatorError(
      'HUB_DATABASE_URL is not set: set it, and HUB_MASTER_KEY to the master key of the folder.',
    )
  const folder = openDataFolder(from)
  if (!isThere(folder.databaseFile))
    throw new OperatorError(`There is no database in ${from}: name the data folder of a hub.`)
  refuseEmptyDatabase(folder.databaseFile)
  const engine = await import('../../storage/postgres/import/import.ts')
  return withoutHub(folder, async () => {
    const sqlite = connectToLook(folder.databaseFile, () => undefined)
    try {
      const vault = createVault(...postgres.masterKeys)
      return await engine.importFolder(postgres.url, sqlite, {
        from,
        vault,
        by: operator(),
        progress,
      })
    } finally {
      sqlite.close()
    }
  })
}

/** Runs `act` while no hub can open the data folder. */
async function withoutHub<T>({ lockFile }: DataFolder, act: () => T | Promise<T>): Promise<T> {
  const release = lockForOneHub(lockFile, {
    hub: 'A hub',
    instead: 'stop it first, and start it again afterwards',
    wait: 'wait until that has ended',
  })
  try {
    return await act()
  } finally {
    release()
  }
}

/** Whether the settings name a database, or the data folder has one. */
export function hasDatabase(): boolean {
  const { config, folder } = configuredFolder()
  return config.postgres !== undefined || isThere(folder.databaseFile)
}

function configuredDatabase(): Configured {
  const { config, folder } = configuredFolder()
  if (isThere(folder.databaseFile)) return { config, folder }
  refuseLostDatabase(folder)
  throw new OperatorError(
    `There is no database in ${config.dataDir}: set HUB_DATA_DIR to the hub's folder; the first start (npm start) makes one.`,
  )
}

/** A file that this user may not look for is neither there nor missing. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw new OperatorError(
      `The data folder can't be read (${reason(error)}): run the command as the user of the hub.`,
    )
  }
}

function vaultInForce({ config, folder }: Configured): Vault {
  return createVault(config.masterKey ?? keyInForce(folder))
}
