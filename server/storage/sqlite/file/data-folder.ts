import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { OperatorError, reason } from '../../../platform/errors.ts'
import { MasterKeyFiles } from '../../../security/master-key.ts'
import { makePrivate } from './private-folder.ts'

/** The addresses of a running hub. It writes them when it is ready, and removes them when it stops. */
const addresses = z.object({
  pid: z.int(),
  /** Milliseconds. Devices that are connected were born after it. */
  startedAt: z.int().optional(),
  http: z.string(),
  mqtt: z.string().optional(),
  mqtts: z.string().optional(),
  box: z.string().optional(),
  boxTls: z.string().optional(),
  admin: z.string().optional(),
})
export type Addresses = z.infer<typeof addresses>

export type DataFolder = ReturnType<typeof openDataFolder>

/** The folder that holds all data of the hub, whether it is there or not. */
export function openDataFolder(folder: string) {
  const addressFile = join(folder, 'hub.json')

  return {
    /** Makes the folder, unless it is there, and closes it to other users. Returns the paths whose mode has changed. */
    make(): string[] {
      try {
        makeFolder(resolve(folder))
        if (!statSync(folder).isDirectory()) throw new Error('it is not a folder')
        return makePrivate(folder)
      } catch (error) {
        if (error instanceof OperatorError) throw error
        throw new OperatorError(
          `The data folder ${folder} can't be used (${reason(error)}): set HUB_DATA_DIR to a folder that this user may write.`,
        )
      }
    },
    databaseFile: join(folder, 'hub.db'),
    /** Locked by the one hub that runs on the folder. */
    lockFile: join(folder, 'hub.lock'),
    /** The master key, when the settings have none. */
    keys: new MasterKeyFiles(folder),
    writeAddresses(running: Addresses) {
      try {
        writeFileSync(addressFile, JSON.stringify(running), { mode: 0o600 })
      } catch (error) {
        throw new OperatorError(
          `${addressFile} can't be written (${reason(error)}): make room, and the folder writable.`,
        )
      }
    },
    /** The addresses of the hub that runs on this folder. Undefined when none runs. */
    readAddresses(): Addresses | undefined {
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

/** Makes one level after another: Node's recursive mkdir never returns when the system refuses with ENOENT. */
function makeFolder(folder: string) {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
