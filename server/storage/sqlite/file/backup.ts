import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../platform/clock.ts'
import { OperatorError } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import { syncFolder } from '../../../security/key-file.ts'
import type { Vault } from '../../../security/vault.ts'
import { checkMasterKey } from '../engine/canary.ts'
import { connect } from '../engine/database.ts'
import { noteChangeOn } from '../schema/audit-trail.ts'
import { hasTable } from '../schema/migrate.ts'
import { flushFile, type Holdings, reasonWithoutDraft, verify } from './backup-file.ts'

export interface Backup extends Holdings {
  bytes: number
}

/**
 * Copies the database to a file. A hub may run on the database meanwhile.
 *  1. make an empty draft that only this user may read,
 *  2. write one snapshot of the database into it,
 *  3. flush it, and check it under the master key,
 *  4. note it in the audit of the database,
 *  5. give it its name, unless a file of that name exists.
 *
 * Why VACUUM INTO: it reads one snapshot. It does not wait for the hub's commits, and it does not start again after
 * each of them, as SQLite's backup in steps does. It also leaves out free pages, which may hold replaced values. It
 * does not flush the file itself (lang_vacuum, section 3).
 * Held by test/whole/server/operate/cli/backup.test.ts.
 */
export function backUp(databaseFile: string, file: string, vault: Vault, by: Actor): Backup {
  if (existsSync(file)) throw taken(file)
  const draft = `${file}.${randomBytes(6).toString('hex')}.part`
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    const sqlite = connect(databaseFile, {}, (opened) => checkMasterKey(opened, vault))
    try {
      sqlite.prepare('VACUUM INTO ?').run(draft)
      flushFile(draft)
      const holdings = verify(draft, 'The copy that was just made', vault)
      const { size } = statSync(draft)
      noteBackup(sqlite, file, by)
      linkSync(draft, file)
      syncFolder(dirname(file))
      return { bytes: size, ...holdings }
    } finally {
      sqlite.close()
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw taken(file)
    throw new OperatorError(
      `The backup can't be written to ${file} (${reasonWithoutDraft(error)}): name a place that this user may write, with room for the whole database.`,
    )
  } finally {
    for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true })
  }
}

/**
 * A database that this version has not opened yet has no audit. A full disk has no room for the row, and is the very
 * time to take a backup.
 */
function noteBackup(sqlite: Database.Database, file: string, by: Actor) {
  if (!hasTable(sqlite, 'audit')) return
  const at = systemClock.now()
  try {
    noteChangeOn(sqlite, { by, at, action: 'database.backup', subject: file })
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_FULL')) throw error
  }
}

function taken(file: string): OperatorError {
  return new OperatorError(`${file} exists already, and no backup is ever overwritten: name another file.`)
}
