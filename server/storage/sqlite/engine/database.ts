import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { OperatorError, reason } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { type StorageObserver, UNOBSERVED } from '../../ports.ts'
import { isMigrated, migrate } from '../schema/migrate.ts'
import { cacheStatements } from '../schema/statements.ts'
import { checkMasterKey, layCanary } from './canary.ts'
import { BUSY_TIMEOUT_MS, CommitQueue } from './commit-queue.ts'
import { nameOfUser, userOfFile } from './file-users.ts'
import { mapDriverError } from './map-driver-errors.ts'
import { makePrivateFile } from './private-file.ts'
import { isScrubbed, scrubIfDue } from './scrub.ts'

/** SQLite's page cache for migrations, which read the whole file. */
const MIGRATION_CACHE_KIB = 128 * 1024
/**
 * SQLite's page cache for writes. Payments write pages that lie close together, and read stores from the store cache.
 *
 * Why no larger: after a commit that splits a page of an index, SQLite goes through all cached pages for pages beyond
 * the end of the file (pcache1Truncate, while the file is below 1 GB). With 128 MB that was an eighth of a payment.
 */
const WRITE_CACHE_KIB = 16 * 1024
/** SQLite's page cache for reads: devices that connect, and requests of partners. */
const READ_CACHE_KIB = 32 * 1024
/** A read waits only while SQLite recovers the log. The hub's thread waits with it. */
const READ_TIMEOUT_MS = 100
/** The size of the log after a checkpoint: room for several commits of a full queue. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024

export type OpenDatabase = ReturnType<typeof opened>

/** Opens a file for reads and writes, with the newest schema. Throws an OperatorError when it can't be used. */
export function openDatabase(
  file: string,
  vault: Vault,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
): OpenDatabase {
  const sqlite = openFile(file, vault)
  sqlite.pragma(`cache_size = -${WRITE_CACHE_KIB}`)
  cacheStatements(sqlite)
  return opened(sqlite, new CommitQueue(sqlite, observe))
}

/** As `openDatabase`, for reads only: another connection, in another thread, writes. */
export function openDatabaseToRead(file: string, vault: Vault): OpenDatabase {
  const sqlite = openFile(file, vault)
  sqlite.pragma('query_only = ON')
  sqlite.pragma(`busy_timeout = ${READ_TIMEOUT_MS}`)
  sqlite.pragma(`cache_size = -${READ_CACHE_KIB}`)
  return openedToRead(sqlite)
}

/** As `openDatabaseToRead`, for a command: it leaves the file and its folder as they are. */
export function lookIntoDatabase(file: string, vault: Vault): OpenDatabase {
  const sqlite = connectToLook(file, (opened) => {
    checkMasterKey(opened, vault)
    refuseUnmigrated(opened, file)
  })
  return openedToRead(sqlite)
}

/** Throws for a database that an opening has still to migrate. */
export function refuseUnmigrated(sqlite: Database.Database, file: string) {
  if (!isMigrated(sqlite))
    throw new OperatorError(
      `The database ${file} is from an earlier version of the hub: start this version once (npm start), which migrates it.`,
    )
}

function openedToRead(sqlite: Database.Database): OpenDatabase {
  cacheStatements(sqlite)
  const refuse = () => Promise.reject(new Error('this connection can only read'))
  return opened(sqlite, {
    write: refuse,
    writePages: refuse,
    waiting: 0,
    rollbacks: 0,
    flush: () => undefined,
  })
}

function opened(sqlite: Database.Database, commits: Pick<CommitQueue, keyof CommitQueue>) {
  return {
    sqlite,
    commits,
    /** A write of a port: each call runs `act` inside the next commit. */
    writing:
      <A extends unknown[], R>(act: (...args: A) => R) =>
      (...args: A): Promise<R> =>
        commits.write(() => act(...args)),
    reading,
    /** See FileStorage. */
    scrubbed: isScrubbed(sqlite),
    close: () => void sqlite.close(),
  }
}

/** A read of a port: its driver errors are mapped. Those of writes are mapped by the commit queue. */
function reading<A extends unknown[], R>(read: (...args: A) => R | Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await read(...args)
    } catch (error) {
      throw mapDriverError(error)
    }
  }
}

export interface ConnectOptions {
  /** No other process may have the file open at the same time. */
  alone?: boolean
  /** How long to wait for other processes. */
  busyTimeoutMs?: number
}

/** As `openDatabase`, the driver's own connection. */
export function openFile(file: string, vault: Vault, options: ConnectOptions = {}): Database.Database {
  return connect(file, options, (sqlite) => {
    // Before anything is sealed by a migration.
    checkMasterKey(sqlite, vault)
    migrate(sqlite, vault)
    layCanary(sqlite, vault)
    scrubIfDue(sqlite)
  })
}

/** Opens the file, makes its commits durable, and runs `prepare`. Every error becomes an OperatorError. */
export function connect(
  file: string,
  { alone = false, busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectOptions,
  prepare: (sqlite: Database.Database) => void,
): Database.Database {
  let sqlite: Database.Database | undefined
  try {
    makePrivateFile(file)
    sqlite = new Database(file)
    sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`)
    if (alone) sqlite.pragma('locking_mode = EXCLUSIVE')
    sqlite.pragma('journal_mode = WAL')
    // A 200 means that the payment is on disk: FULL flushes the log at every commit.
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    sqlite.pragma(`cache_size = -${MIGRATION_CACHE_KIB}`)
    // During a long backup the log grows; this cuts it afterwards. The driver checkpoints it at 4 MB.
    sqlite.pragma(`journal_size_limit = ${LOG_LIMIT_BYTES}`)
    prepare(sqlite)
    return sqlite
  } catch (error) {
    sqlite?.close()
    throw toSentence(file, error)
  }
}

/** Reads the file, and leaves it as it is. */
export function withLook<T>(file: string, read: (sqlite: Database.Database) => T): T {
  const sqlite = connectToLook(file, () => undefined)
  try {
    return read(sqlite)
  } finally {
    sqlite.close()
  }
}

/**
 * Opens an existing file to read alone. Where there is no log, only a connection that may write removes the empty one
 * that SQLite makes. Where there is one, a hub works on the file or was killed: only a connection that may not write
 * leaves the log as it is.
 */
export function connectToLook(file: string, check: (sqlite: Database.Database) => void): Database.Database {
  let sqlite: Database.Database | undefined
  try {
    sqlite = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true })
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    sqlite.pragma('query_only = ON')
    check(sqlite)
    return sqlite
  } catch (error) {
    sqlite?.close()
    throw toSentence(file, error)
  }
}

export class DatabaseInUse extends OperatorError {
  constructor(file: string) {
    const user = userOfFile(file)
    super(
      `The database ${file} is in use by ${user ? nameOfUser(user) : 'another command'}, and can't be shared: try again when that has ended.`,
    )
  }
}

function toSentence(file: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return new DatabaseInUse(file)
  return new OperatorError(
    `The database ${file} can't be opened (${reason(error)}): make the data folder readable and writable for this user, or restore a backup.`,
  )
}
