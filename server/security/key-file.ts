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
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError, reason } from '../platform/errors.ts'
import { readMasterKey } from '../platform/master-key-text.ts'

/** Creates a key file atomically. If two processes start at once, one creates the key and both read it. */
export function makeKeyFile(file: string) {
  try {
    placeKey(file, randomBytes(32), linkSync)
  } catch (error) {
    if (!existsSync(file))
      throw new OperatorError(
        `Can't write the master key to ${file} (${reason(error)}): make the folder writable, or set HUB_MASTER_KEY.`,
      )
  }
}

/** Replaces a key file atomically. */
export function writeKeyFile(file: string, key: Buffer) {
  placeKey(file, key, renameSync)
}

/** Flushes the file to disk before it returns: if a power cut loses the key, every value sealed with it is lost. */
function placeKey(file: string, key: Buffer, place: (draft: string, file: string) => void) {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${key.toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    place(draft, file)
    syncFolder(dirname(file))
  } finally {
    rmSync(draft, { force: true })
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
  const key = readMasterKey(text.trim())
  if (Buffer.isBuffer(key)) return key
  throw new OperatorError(`The master key ${file} ${key}: restore it from where it was kept.`)
}
