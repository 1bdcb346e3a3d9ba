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
import { systemClock } from '../../../platform/clock.ts'
import { OperatorError } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import { syncFolder } from '../../../security/key-file.ts'
import type { Vault } from '../../../security/vault.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { BUSY_TIMEOUT_MS } from '../engine/commit-queue.ts'
import { connect, DatabaseInUse, openFile } from '../engine/database.ts'
import { noteChangeOn } from '../schema/audit-trail.ts'
import { flushFile, type Holdings, holdingsOf, reasonWithoutDraft, verify } from './backup-file.ts'

export interface Restored extends Holdings {
  /** Where the previous database is. Undefined when there was none. */
  keptAs: string | undefined
}

export interface RestoreOptions {
  /** Replaces the present database even when it holds newer payments than the backup. */
  force: boolean
  /** The file that the present database is moved to. */
  aside: string
  by: Actor
  /** Called after each step. A test lets the process die there. */
  reached?: (step: RestoreStep) => void
  /** How long to wait for other commands, which are short. */
  busyTimeoutMs?: number
}

export type RestoreStep = 'copied' | 'quiet' | 'kept' | 'replaced'

/** The files that SQLite keeps beside a database. Beside another database they would damage it. */
const COMPANIONS = ['-wal', '-shm', '-journal']

/**
 * Replaces the database by a backup. No hub may run on it.
 *  1. copy the backup beside the database, check the copy under the master key, note the restore in its audit, flush it,
 *  2. take the present database alone, and checkpoint its log: a log must never lie beside another database,
 *  3. give the present database a second name,
 *  4. rename the copy over it.
 * The process may die at any point: until step 4 the name stands for the present database, then for the backup.
 * Step 2 is left out for a database that is too damaged to open. Held by test/whole/server/operate/cli/restore-crash.test.ts.
 */
export function restore(databaseFile: string, file: string, vault: Vault, options: RestoreOptions): Restored {
  const { by, aside, reached = () => undefined } = options
  const draft = `${databaseFile}.${randomBytes(6).toString('hex')}.part`
  if (!existsSync(file))
    throw new OperatorError(`There is no backup ${file}: name a file that hub backup has written.`)
  refuseHalves(databaseFile, file)
  let present: Database.Database | undefined
  try {
    removeLeftDrafts(databaseFile)
    copyFileSync(file, draft)
    chmodSync(draft, 0o600)
    const holdings = verify(draft, file, vault)
    noteRestore(draft, file, vault, by)
    flushFile(draft)
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
    throw new OperatorError(
      `Nothing was restored (${reasonWithoutDraft(error)}): name a file that this user may read, and make room in the data folder for another copy of it.`,
    )
  } finally {
    present?.close()
    for (const suffix of ['', ...COMPANIONS]) rmSync(`${draft}${suffix}`, { force: true })
  }
}

/** Opens the draft as the hub will, which migrates an older one. Closing it leaves no log. */
function noteRestore(draft: string, file: string, vault: Vault, by: Actor) {
  const sqlite = openFile(draft, vault)
  try {
    const at = systemClock.now()
    // Nobody knows which births came since: a `received` of before them proves nothing (sb/1 7.18).
    sqlite
      .prepare(
        `UPDATE announcements SET received_void_at = ? WHERE received_at IS NOT NULL AND (${OPEN} OR ${UNSEEN})`,
      )
      .run(at)
    noteChangeOn(sqlite, { by, at, action: 'database.restore', subject: file })
  } finally {
    sqlite.close()
  }
}

/** Removes the drafts of killed restores. No other restore runs at the same time. */
function removeLeftDrafts(databaseFile: string) {
  const left = new RegExp(`^${basename(databaseFile)}\\.[0-9a-f]{12}\\.part`)
  for (const name of readdirSync(dirname(databaseFile)))
    if (left.test(name)) rmSync(join(dirname(databaseFile), name), { force: true })
}

/** Refuses a database in use: its newest commits are in its log, and the file alone lacks them. */
function refuseHalves(databaseFile: string, file: string) {
  const isItself =
    existsSync(file) && existsSync(databaseFile) && realpathSync(file) === realpathSync(databaseFile)
  const hasLog = COMPANIONS.some(
    (suffix) => (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0,
  )
  if (isItself || hasLog)
    throw new OperatorError(`${file} is a database in use, not a backup: make one of it with hub backup.`)
}

/** Opens the present database, without a log and closed to all others. Undefined when it is too damaged to open. */
function takeAlone(databaseFile: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database.Database | undefined {
  try {
    return connect(databaseFile, { alone: true, busyTimeoutMs }, (sqlite) => {
      // To leave WAL mode, SQLite checkpoints and removes the log. It needs the file alone for that.
      sqlite.pragma('journal_mode = DELETE')
      // From here on an open transaction locks the file. It writes nothing, so there is no journal.
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
    // The file opens, but its tables are damaged: restore it.
    return
  }
  if ((present.newestAt ?? 0) <= (backup.newestAt ?? 0)) return
  throw new OperatorError(
    `The present database holds payments from after the backup (${present.payments}, the backup ${backup.payments}): add --force to put it aside nevertheless.`,
  )
}

/** Gives the database a second name. A log that could not be checkpointed goes with it. */
function keep(databaseFile: string, aside: string) {
  for (const suffix of ['', ...COMPANIONS])
    if (existsSync(`${databaseFile}${suffix}`)) linkSync(`${databaseFile}${suffix}`, `${aside}${suffix}`)
  syncFolder(dirname(aside))
  for (const suffix of COMPANIONS) rmSync(`${databaseFile}${suffix}`, { force: true })
}
