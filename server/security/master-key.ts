import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../platform/errors.ts'
import { makeKeyFile, readIfWhole, readKeyFile, reason, syncFolder, writeKeyFile } from './key-file.ts'
import { isSame } from './vault.ts'

/**
 * The master key as files of a data folder, all of mode 0600: `master.key` is in force, `master.key.previous` was
 * before the last rotation (`.previous.1`, `.2` … before earlier ones) and opens older backups, and
 * `master.key.next` stands there while a rotation is under way or was cut short.
 *
 * Why `.next`: the database changes its key at one instant, its commit, and the file can't change at the same.
 * So the new key is on disk before that instant, and the old one after it; whoever opens the folder in between
 * asks the database which of the two it is sealed under. Held by test/whole/server/operate/cli/rotation-crash.test.ts.
 */
export interface MasterKeyFiles {
  readonly file: string
  readonly previousFile: string
  /** The key of `master.key`; made when there is none yet. */
  current(): Buffer
  /** Whether `current` may not be the key in force: `settle` finds out. */
  isUnsettled(): boolean
  /**
   * Finishes a rotation that was cut short, or discards it, and answers the key in force. `opens` asks the
   * database, which no rotation may change meanwhile.
   */
  settle(opens: (key: Buffer) => boolean): Buffer
  /** Makes `master.key.next`. It is on disk when this returns. */
  prepareNext(): Buffer
  /** Puts the next key in force, and keeps the one before. */
  adoptNext(): void
  /** The files of earlier keys, for older backups. */
  previousFiles(): string[]
}

export function createMasterKeyFiles(folder: string, databaseFile: string): MasterKeyFiles {
  const file = join(folder, 'master.key')
  const nextFile = `${file}.next`
  const previousFile = `${file}.previous`

  function current(): Buffer {
    if (!existsSync(file)) {
      if (existsSync(databaseFile))
        throw new OperatorError(
          `The master key ${file} is missing, and the database can't be read without it: put it back, or set HUB_MASTER_KEY.`,
        )
      makeKeyFile(file)
    }
    return readKeyFile(file)
  }

  /** What is remembered is written, not what stands there: of two processes that do this at once, both are right. */
  function replace(old: Buffer) {
    keepPrevious(previousFile, old)
    renameSync(nextFile, file)
    syncFolder(folder)
  }

  return {
    file,
    previousFile,
    current,
    isUnsettled: () => existsSync(nextFile),
    settle(opens) {
      // In this order: the other process that may be settling renames the second over the first.
      const old = current()
      const next = readIfWhole(nextFile)
      if (next && opens(next)) {
        try {
          replace(old)
        } catch {
          // Named as it may be, this key is in force: the next opening tries again.
        }
        return next
      }
      if (opens(old)) rmSync(nextFile, { force: true })
      return old
    },
    prepareNext() {
      // Whoever opened the folder has tried to settle: what still stands there is the only copy of the key in force.
      if (readIfWhole(nextFile))
        throw new OperatorError(
          `Nothing was changed: ${nextFile} holds the key in force, because the last rotation could not be finished: make the folder writable, and run hub doctor.`,
        )
      const key = randomBytes(32)
      try {
        writeKeyFile(nextFile, key)
      } catch (error) {
        throw new OperatorError(
          `Nothing was changed: the new master key can't be written to ${nextFile} (${reason(error)}).`,
        )
      }
      return key
    },
    adoptNext() {
      try {
        replace(readKeyFile(file))
      } catch (error) {
        throw new OperatorError(
          `The database is sealed under the new master key, which is still in ${nextFile} (${reason(error)}): make the folder writable; the next start finishes the rotation.`,
        )
      }
    },
    previousFiles() {
      const names = readdirSync(folder).filter((name) => /^master\.key\.previous(\.[0-9]+)?$/.test(name))
      return names.sort().map((name) => join(folder, name))
    },
  }
}

/** Keeps a key as the previous one. What stood there opens older backups still: it gets a number. */
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
