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

/**
 * Makes a key file that appears whole or not at all: of two processes that start at once, one makes the key and
 * both read it.
 */
export function makeKeyFile(file: string) {
  const draft = draftOf(file)
  try {
    writeDraft(draft, randomBytes(32))
    linkSync(draft, file)
    syncFolder(dirname(file))
  } catch (error) {
    if (!existsSync(file))
      throw new OperatorError(
        `The master key can't be written to ${file} (${reason(error)}): make the folder writable, or set HUB_MASTER_KEY.`,
      )
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Writes a key file, whole or not at all, in place of what stands there. */
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

/** On disk when this returns: a key that a power cut takes away takes everything that was sealed with it. */
function writeDraft(draft: string, key: Buffer) {
  const opened = openSync(draft, 'wx', 0o600)
  try {
    writeSync(opened, `${key.toString('base64')}\n`)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** A name in a folder lasts over a power cut only when the folder was flushed too. */
export function syncFolder(folder: string) {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** As `readKeyFile`; undefined when there is none, or none that can be used. */
export function readIfWhole(file: string): Buffer | undefined {
  try {
    return readKeyFile(file)
  } catch {
    return undefined
  }
}

/** The 32 bytes of a key file; an OperatorError when it can't be read, is open to others, or damaged. */
export function readKeyFile(file: string): Buffer {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if ((statSync(file).mode & 0o077) !== 0)
      throw new OperatorError(`Others can read the master key ${file}: run chmod 600 on it.`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `The master key ${file} can't be read (${reason(error)}): run as the user that owns it.`,
    )
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32)
    throw new OperatorError(
      `The master key ${file} is damaged: put back the 32 bytes in base64 from a backup.`,
    )
  return key
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
