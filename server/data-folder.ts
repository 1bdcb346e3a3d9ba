import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { OperatorError } from './errors.ts'

/** Where a running hub can be reached: written when it is ready, removed when it stops. */
const addresses = z.object({
  pid: z.int(),
  http: z.string(),
  mqtt: z.string(),
  mqtts: z.string().optional(),
})
export type Addresses = z.infer<typeof addresses>

export interface DataFolder {
  databaseFile: string
  /** Held by the one hub that works on the folder. */
  lockFile: string
  /** The master key kept in the folder; made, with mode 0600, when there is none yet. */
  masterKey(): Buffer
  writeAddresses(running: Addresses): void
  /** Where the hub that uses this folder runs; undefined when none does. */
  readAddresses(): Addresses | undefined
  removeAddresses(): void
}

/** Opens the folder that holds everything the hub keeps, and makes it when it is missing. */
export function openDataFolder(folder: string): DataFolder {
  const databaseFile = join(folder, 'hub.db')
  const keyFile = join(folder, 'master.key')
  const addressFile = join(folder, 'hub.json')
  try {
    makeFolder(resolve(folder))
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder')
  } catch (error) {
    throw new OperatorError(
      `The data folder ${folder} can't be used (${reason(error)}): set HUB_DATA_DIR to a folder that this user may write.`,
    )
  }

  return {
    databaseFile,
    lockFile: join(folder, 'hub.lock'),
    masterKey() {
      if (!existsSync(keyFile)) {
        if (existsSync(databaseFile))
          throw new OperatorError(
            `The master key ${keyFile} is missing, and the database can't be read without it: put it back, or set HUB_MASTER_KEY.`,
          )
        makeKeyFile(keyFile)
      }
      return readKeyFile(keyFile)
    },
    writeAddresses(running) {
      try {
        writeFileSync(addressFile, JSON.stringify(running))
      } catch (error) {
        throw new OperatorError(
          `${addressFile} can't be written (${reason(error)}): make room, and the folder writable.`,
        )
      }
    },
    readAddresses() {
      if (!existsSync(addressFile)) return undefined
      try {
        const running = addresses.parse(JSON.parse(readFileSync(addressFile, 'utf8')))
        return isAlive(running.pid) ? running : undefined
      } catch {
        return undefined
      }
    },
    removeAddresses: () => rmSync(addressFile, { force: true }),
  }
}

/** One level after another, because Node's recursive mkdir never returns where the system refuses with ENOENT. */
function makeFolder(folder: string) {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Makes a key file that appears whole or not at all: of two processes that start at once, one makes the key and
 * both read it.
 */
function makeKeyFile(file: string) {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file))
      throw new OperatorError(
        `The master key can't be written to ${file} (${reason(error)}): make the folder writable, or set HUB_MASTER_KEY.`,
      )
  } finally {
    rmSync(draft, { force: true })
  }
}

function readKeyFile(file: string): Buffer {
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
