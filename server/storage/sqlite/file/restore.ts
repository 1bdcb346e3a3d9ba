import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { OperatorError } from '../../../platform/errors.ts'
import { syncFolder } from '../../../security/key-file.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Holdings, Restored } from '../../ports.ts'
import { BUSY_TIMEOUT_MS } from '../engine/commit-queue.ts'
import { connect, DatabaseInUse } from '../engine/database.ts'
import { flushFile, holdingsOf, verify } from './backup-file.ts'

export interface RestoreOptions {
  /** The present database holds payments that the backup does not know: put it aside nevertheless. */
  force: boolean
  /** The name under which the present database is kept. */
  aside: string
  /** Told what has just been done; the process may die there. */
  reached?: (step: RestoreStep) => void
  /** How long to wait for other commands; those are short. */
  busyTimeoutMs?: number
}

export type RestoreStep = 'copied' | 'quiet' | 'kept' | 'replaced'

/** The files that SQLite keeps beside a database: they belong to that one, and would ruin another. */
const COMPANIONS = ['-wal', '-shm', '-journal']

/**
 * Puts a backup in the place of the database, on which no hub may run:
 *  1. copy it beside, flushed, and look through the copy under the master key,
 *  2. take the present database alone, and bring its log home: a log must never lie beside another file,
 *  3. give the present one a second name,
 *  4. rename the copy over it.
 * Whatever it dies between, there is a whole database under the name: until 4 the present one, then the backup.
 * A present database that is too damaged for 2 is kept as it is. Held by test/whole/server/operate/cli/restore-crash.test.ts.
 */
export function restore(databaseFile: string, file: string, vault: Vault, options: RestoreOptions): Restored {
  const { aside, reached = () => undefined } = options
  const draft = `${databaseFile}.${randomBytes(6).toString('hex')}.part`
  refuseHalves(databaseFile, file)
  let present: Database.Database | undefined
  try {
    removeLeftDrafts(databaseFile)
    copyFileSync(file, draft)
    chmodSync(draft, 0o600)
    flushFile(draft)
    const holdings = verify(draft, file, vault)
    reached('copied')
    const isThere = existsSync(databaseFile)
    if (isThere) {
      present = takeAlone(databaseFile, options.busyTimeoutMs)
      if (present && !options.force) refuseToForget(present, holdings)
      reached('quiet')
      keep(databaseFile, aside)
      reached('kept')
    }
    renameSync(draft, databaseFile)
    syncFolder(dirname(databaseFile))
    reached('replaced')
    return { ...holdings, keptAs: isThere ? aside : undefined }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `Nothing was restored (${why}): name a file that this user may read, and make room in the data folder for another copy of it.`,
    )
  } finally {
    present?.close()
    for (const suffix of ['', ...COMPANIONS]) rmSync(`${draft}${suffix}`, { force: true })
  }
}

/** Drafts of restores that were killed; this one has the folder to itself. */
function removeLeftDrafts(databaseFile: string) {
  const left = new RegExp(`^${basename(databaseFile)}\\.[0-9a-f]{12}\\.part`)
  for (const name of readdirSync(dirname(databaseFile)))
    if (left.test(name)) rmSync(join(dirname(databaseFile), name), { force: true })
}

/** The newest commits of a database in use are in its log: the file alone would be half of it. */
function refuseHalves(databaseFile: string, file: string) {
  const isItself =
    existsSync(file) && existsSync(databaseFile) && realpathSync(file) === realpathSync(databaseFile)
  const hasLog = COMPANIONS.some(
    (suffix) => (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0,
  )
  if (isItself || hasLog)
    throw new OperatorError(`${file} is a database in use, not a backup: make one of it with hub backup.`)
}

/** The present database, without a log and closed to all others; undefined when it is too damaged to be opened. */
function takeAlone(databaseFile: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database.Database | undefined {
  try {
    return connect(databaseFile, { alone: true, busyTimeoutMs }, (sqlite) => {
      // Leaving the mode brings the log home and removes it, which takes the file alone.
      sqlite.pragma('journal_mode = DELETE')
      // From here on a lock that leaves no journal of its own: an open transaction that writes nothing.
      sqlite.pragma('locking_mode = NORMAL')
      sqlite.pragma('schema_version')
      sqlite.exec('BEGIN EXCLUSIVE')
      if (sqlite.pragma('journal_mode', { simple: true }) !== 'delete') throw new DatabaseInUse(databaseFile)
    })
  } catch (error) {
    if (error instanceof DatabaseInUse) throw error
    return undefined
  }
}

function refuseToForget(sqlite: Database.Database, backup: Holdings) {
  let present: Holdings
  try {
    present = holdingsOf(sqlite)
  } catch {
    // It opens, and is damaged further in: the best reason for a restore.
    return
  }
  if ((present.newestAt ?? 0) <= (backup.newestAt ?? 0)) return
  throw new OperatorError(
    `The present database holds payments from after the backup (${present.payments}, the backup ${backup.payments}): add --force to put it aside nevertheless.`,
  )
}

/** Gives the database a second name. A log that could not be brought home goes with it. */
function keep(databaseFile: string, aside: string) {
  for (const suffix of ['', ...COMPANIONS])
    if (existsSync(`${databaseFile}${suffix}`)) linkSync(`${databaseFile}${suffix}`, `${aside}${suffix}`)
  syncFolder(dirname(aside))
  for (const suffix of COMPANIONS) rmSync(`${databaseFile}${suffix}`, { force: true })
}
