import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, reason } from '../platform/errors.ts'
import { makeKeyFile, readIfWhole, readKeyFile, syncFolder, writeKeyFile } from './key-file.ts'
import { isSame } from './vault.ts'

/**
 * The master key files of a data folder, all with mode 0600. `master.key` is the current key. `master.key.previous` is
 * the key before the last rotation and opens older backups (`.previous.1`, `.previous.2` … are older keys).
 * `master.key.next` exists during a rotation or the first start, and after one that was interrupted.
 *
 * Why `.next`: the database changes its key in one commit, and the key file can't change in the same instant. So the
 * new key is on disk before the commit, and the old key stays until after it. A process that opens the folder in
 * between asks the database which of the two keys it uses. test/whole/server/operate/cli/rotation-crash.test.ts checks this.
 */
export function createMasterKeyFiles(folder: string) {
  const file = join(folder, 'master.key')
  const nextFile = `${file}.next`
  const previousFile = `${file}.previous`

  /** Reads `master.key`. */
  function current(): Buffer {
    if (existsSync(file)) return readKeyFile(file)
    throw new OperatorError(
      `The master key ${file} is missing, and the database can't be read without it: restore the file, or set HUB_MASTER_KEY.`,
    )
  }

  /** Undefined before the first start has ended. */
  function currentIfAny(): Buffer | undefined {
    return existsSync(file) || !existsSync(nextFile) ? current() : undefined
  }

  /**
   * Writes the key that the caller read, not the file's present content: two processes may do this at the same time.
   */
  function replace(old: Buffer | undefined) {
    if (old) keepPrevious(previousFile, old)
    renameSync(nextFile, file)
    syncFolder(folder)
  }

  return {
    file,
    previousFile,
    current,
    /** Whether `master.key.next` exists, so that `current` may be outdated. Call `settle` to find out. */
    isUnsettled: () => existsSync(nextFile),
    /**
     * Finishes or discards an interrupted rotation, and returns the key that opens the database. `opens` tests a key on
     * the database. No rotation may run at the same time.
     */
    settle(opens: (key: Buffer) => boolean): Buffer {
      // Read `current` first: another process that settles at the same time renames `next` to `current`.
      const old = currentIfAny()
      const next = readIfWhole(nextFile)
      if (next && opens(next)) {
        try {
          replace(old)
        } catch {
          // The key opens the database, whatever its file is called. The next start tries to rename it again.
        }
        return next
      }
      if (old && opens(old)) rmSync(nextFile, { force: true })
      return old ?? current()
    },
    /** The key that `settle` would return. Changes nothing. */
    inForce(opens: (key: Buffer) => boolean): Buffer {
      const old = currentIfAny()
      const next = readIfWhole(nextFile)
      return next && opens(next) ? next : (old ?? current())
    },
    /** Reads `master.key.next` of the first start, and creates it unless an interrupted first start has. */
    makeFirst(): Buffer {
      if (!existsSync(nextFile)) makeKeyFile(nextFile)
      return readKeyFile(nextFile)
    },
    /** Creates `master.key.next` and flushes it to disk. */
    prepareNext(): Buffer {
      // The caller has already called `settle`. If the file still exists, it is the only copy of the database's key.
      if (readIfWhole(nextFile))
        throw new OperatorError(
          `Nothing was changed: ${nextFile} holds the database's key, because the last rotation was not finished. Make the folder writable, and run hub doctor.`,
        )
      const key = randomBytes(32)
      try {
        writeKeyFile(nextFile, key)
      } catch (error) {
        throw new OperatorError(
          `Nothing was changed: can't write the new master key to ${nextFile} (${reason(error)}).`,
        )
      }
      return key
    },
    /** Makes the next key the current one, and keeps the current one as `master.key.previous`. */
    adoptNext() {
      try {
        replace(readKeyFile(file))
      } catch (error) {
        throw new OperatorError(
          `The database uses the new master key, which is still in ${nextFile} (${reason(error)}). Make the folder writable; the next start finishes the rotation.`,
        )
      }
    },
    /** The files with earlier keys, which open older backups. */
    previousFiles(): string[] {
      const names = readdirSync(folder).filter((name) => /^master\.key\.previous(\.[0-9]+)?$/.test(name))
      return names.sort().map((name) => join(folder, name))
    },
  }
}

/**
 * Stores a key in `master.key.previous`. An older key there still opens older backups, so it moves to a numbered file.
 */
function keepPrevious(previousFile: string, key: Buffer) {
  const older = readIfWhole(previousFile)
  if (older && isSame(older, key)) return
  if (existsSync(previousFile)) {
    let number = 1
    while (existsSync(`${previousFile}.${number}`)) number += 1
    linkSync(previousFile, `${previousFile}.${number}`)
  }
  writeKeyFile(previousFile, key)
}
