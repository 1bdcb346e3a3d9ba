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
export class MasterKeyFiles {
  readonly file: string
  readonly previousFile: string
  readonly #folder: string
  readonly #nextFile: string

  constructor(folder: string) {
    this.#folder = folder
    this.file = join(folder, 'master.key')
    this.previousFile = `${this.file}.previous`
    this.#nextFile = `${this.file}.next`
  }

  /** Reads `master.key`. */
  current(): Buffer {
    if (existsSync(this.file)) return readKeyFile(this.file)
    throw new OperatorError(
      `The master key ${this.file} is missing, and the database can't be read without it: restore the file, or set HUB_MASTER_KEY.`,
    )
  }

  /** Whether `master.key.next` exists, so that `current` may be outdated. Call `settle` to find out. */
  isUnsettled(): boolean {
    return existsSync(this.#nextFile)
  }

  /**
   * Finishes or discards an interrupted rotation, and returns the key that opens the database. `opens` tests a key on
   * the database. No rotation may run at the same time.
   */
  settle(opens: (key: Buffer) => boolean): Buffer {
    // Read `current` first: another process that settles at the same time renames `next` to `current`.
    const old = this.#currentIfAny()
    const next = readIfWhole(this.#nextFile)
    if (next && opens(next)) {
      try {
        this.#replace(old)
      } catch {
        // The key opens the database, whatever its file is called. The next start tries to rename it again.
      }
      return next
    }
    if (old && opens(old)) rmSync(this.#nextFile, { force: true })
    return old ?? this.current()
  }

  /** The key that `settle` would return. Changes nothing. */
  inForce(opens: (key: Buffer) => boolean): Buffer {
    const old = this.#currentIfAny()
    const next = readIfWhole(this.#nextFile)
    return next && opens(next) ? next : (old ?? this.current())
  }

  /** Reads `master.key.next` of the first start, and creates it unless an interrupted first start has. */
  makeFirst(): Buffer {
    if (!this.isUnsettled()) makeKeyFile(this.#nextFile)
    return readKeyFile(this.#nextFile)
  }

  /** Creates `master.key.next` and flushes it to disk. */
  prepareNext(): Buffer {
    // The caller has already called `settle`. If the file still exists, it is the only copy of the database's key.
    if (readIfWhole(this.#nextFile))
      throw new OperatorError(
        `Nothing was changed: ${this.#nextFile} holds the database's key, because the last rotation was not finished. Make the folder writable, and run hub doctor.`,
      )
    const key = randomBytes(32)
    try {
      writeKeyFile(this.#nextFile, key)
    } catch (error) {
      throw new OperatorError(
        `Nothing was changed: can't write the new master key to ${this.#nextFile} (${reason(error)}).`,
      )
    }
    return key
  }

  /** Makes the next key the current one, and keeps the current one as `master.key.previous`. */
  adoptNext() {
    try {
      this.#replace(readKeyFile(this.file))
    } catch (error) {
      throw new OperatorError(
        `The database uses the new master key, which is still in ${this.#nextFile} (${reason(error)}). Make the folder writable; the next start finishes the rotation.`,
      )
    }
  }

  /** The files with earlier keys, which open older backups. */
  previousFiles(): string[] {
    const names = readdirSync(this.#folder).filter((name) => /^master\.key\.previous(\.[0-9]+)?$/.test(name))
    return names.sort().map((name) => join(this.#folder, name))
  }

  /** Undefined before the first start has ended. */
  #currentIfAny(): Buffer | undefined {
    return existsSync(this.file) || !this.isUnsettled() ? this.current() : undefined
  }

  /** Writes the key that the caller read, not the file's present content: two processes may do this at the same time. */
  #replace(old: Buffer | undefined) {
    if (old) keepPrevious(this.previousFile, old)
    renameSync(this.#nextFile, this.file)
    syncFolder(this.#folder)
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
