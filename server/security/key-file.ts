import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../platform/errors.ts'

/** Creates a key file atomically. If two processes start at once, one creates the key and both read it. */
export function makeKeyFile(file: string) {
  const draft = draftOf(file)
  try {
    writeDraft(draft, randomBytes(32))
    linkSync(draft, file)
    syncFolder(dirname(file))
  } catch (error) {
    if (!existsSync(file))
      throw new OperatorError(
        `Can't write the master key to ${file} (${reason(error)}): make the folder writable, or set HUB_MASTER_KEY.`,
      )
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Replaces a key file atomically. */
export function writeKeyFile(file: string, key: Buffer) {
  const draft = draftOf(file)
  try {
    writeDraft(draft, key)
    renameSync(draft, file)
    syncFolder(dirname(file))
  } finally {
    rmSync(draft, { force: true })
  }
}

function draftOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`
}

/** Flushes the file to disk before it returns: if a power cut loses the key, every value sealed with it is lost. */
function writeDraft(draft: string, key: Buffer) {
  const opened = openSync(draft, 'wx', 0o600)
  try {
    writeSync(opened, `${key.toString('base64')}\n`)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Flushes a folder. Without this, a power cut may lose the name of a new file. */
export function syncFolder(folder: string) {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Like `readKeyFile`, but returns undefined if the file is missing or unusable. */
export function readIfWhole(file: string): Buffer | undefined {
  try {
    return readKeyFile(file)
  } catch {
    return undefined
  }
}

/**
 * Reads the 32 bytes of a key file. Throws an OperatorError if it is unreadable, readable for other users, or damaged.
 */
export function readKeyFile(file: string): Buffer {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if ((statSync(file).mode & 0o077) !== 0)
      throw new OperatorError(`Other users can read the master key ${file}: run chmod 600 on it.`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `Can't read the master key ${file} (${reason(error)}): run the hub as the user that owns the file.`,
    )
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32)
    throw new OperatorError(
      `The master key ${file} is damaged: restore its 32 bytes in base64 from a backup.`,
    )
  return key
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
