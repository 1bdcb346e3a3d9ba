import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { OperatorError, reason } from '../../../platform/errors.ts'
import { syncFolder } from '../../../security/key-file.ts'
import { createVault } from '../../../security/vault.ts'
import { openFile } from '../engine/database.ts'
import { flushFile } from './backup-file.ts'
import type { DataFolder } from './data-folder.ts'

/**
 * Makes key and database of a folder that has never had them. The process may die at any point: the next start goes on.
 *  1. make the key as `master.key.next`, unless it is in the settings,
 *  2. make a whole database under another name,
 *  3. give the database its name,
 *  4. give the key its name: the opening that follows does that, as after a rotation.
 * So there is never a key without its database, or half of a database. Throws an OperatorError where there is: the
 * database was lost, and an empty one would hide that.
 */
export function makeOnFirstStart(folder: DataFolder, masterKey: Buffer | undefined) {
  const { databaseFile, keys } = folder
  refuseEmptyDatabase(databaseFile)
  refuseLostDatabase(folder)
  if (existsSync(databaseFile)) return
  const draft = `${databaseFile}.${randomBytes(6).toString('hex')}.part`
  try {
    openFile(draft, createVault(masterKey ?? keys.makeFirst())).close()
    flushFile(draft)
    linkSync(draft, databaseFile)
    syncFolder(dirname(databaseFile))
  } catch (error) {
    if (existsSync(databaseFile)) return
    throw error instanceof OperatorError
      ? error
      : new OperatorError(
          `The database ${databaseFile} can't be made (${reason(error)}): make room, and the folder writable for this user.`,
        )
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true })
  }
}

/** A database is never empty: it gets its name when it is whole. */
export function refuseEmptyDatabase(databaseFile: string) {
  if (statSync(databaseFile, { throwIfNoEntry: false })?.size === 0)
    throw new OperatorError(
      `The database ${databaseFile} is empty: restore a backup (hub restore), or start anew in another folder.`,
    )
}

/** Refuses a folder without the database that it has had. */
export function refuseLostDatabase({ databaseFile, keys, lockFile }: DataFolder) {
  if (existsSync(databaseFile)) return
  const used = [keys.file, lockFile, `${databaseFile}-wal`].filter(existsSync)
  // Another process that starts for the first time makes the database before the files that tell of one.
  if (used.length === 0 || existsSync(databaseFile)) return
  throw new OperatorError(
    `The database ${databaseFile} is missing, but a hub has worked in this folder: restore a backup (hub restore), or start anew by removing ${used.map((file) => basename(file)).join(', ')} there.`,
  )
}
