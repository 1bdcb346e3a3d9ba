import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { OperatorError } from '../../errors.ts'
import { type CommitQueue, createCommitQueue } from './commit-queue.ts'
import * as schema from './schema.ts'

/** How long a commit waits for another process (the command line) that is writing. */
const BUSY_TIMEOUT_MS = 5_000

export type Orm = BetterSQLite3Database<typeof schema>

export interface OpenDatabase {
  orm: Orm
  commits: CommitQueue
  /** Changes when another process has written to the file. */
  foreignVersion(): number
  close(): void
}

/** Opens the file, makes it durable, and brings it to the newest schema. */
export function openDatabase(file: string): OpenDatabase {
  const sqlite = open(file)
  const orm = drizzle(sqlite, { schema })
  return {
    orm,
    commits: createCommitQueue(sqlite),
    foreignVersion: () => Number(sqlite.pragma('data_version', { simple: true })),
    close: () => sqlite.close(),
  }
}

function open(file: string): Database.Database {
  try {
    // Made before SQLite makes it, so that it and its log are readable by this user alone.
    closeSync(openSync(file, 'a', 0o600))
    const sqlite = new Database(file)
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    sqlite.pragma('journal_mode = WAL')
    // A 200 means that the money is on disk: FULL flushes the log at every commit.
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    bringUpToDate(sqlite)
    return sqlite
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `The database ${file} can't be opened (${why}): make the data folder readable and writable for this user, or restore a backup.`,
    )
  }
}

function bringUpToDate(sqlite: Database.Database) {
  const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url))
  try {
    migrate(drizzle(sqlite), { migrationsFolder })
  } catch {
    // Another process may have applied the same migration between our look and our write: look again, once.
    migrate(drizzle(sqlite), { migrationsFolder })
  }
}
