import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { parseKey } from '../../../protocol/keys.ts'
import { stopProcess } from '../../platform/child-process.ts'
import { freePort } from '../../platform/free-port.ts'
import { type Credentials, credentials, runHubCommand } from './hub-command.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** For a very busy machine; a hub that can't start exits with an error. */
const READY_WITHIN_MS = 30_000
const STOPPED_WITHIN_MS = 12_000
/** Characters of its error message that are kept, the last ones. */
const MOST_COMPLAINT = 2_000

/** Free ports of this machine, without TLS. An empty setting counts as not set. */
export const FREE_LISTENERS = {
  ...{ HUB_MQTT_TLS_PORT: '', HUB_TLS_CERT: '', HUB_TLS_KEY: '' },
  ...{ HUB_HOST: '127.0.0.1', HUB_HTTP_HOST: '', HUB_MQTT_HOST: '', HUB_ADMIN_HOST: '' },
  ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' },
}

/** Ports for a hub that restarts on them. */
export async function fixedPorts() {
  const next = async () => String(await freePort())
  return { HUB_HTTP_PORT: await next(), HUB_MQTT_PORT: await next(), HUB_ADMIN_PORT: await next() }
}

/** A temporary hub keeps away from the database, the keys and the peers of the user's own hub. */
export const OWN_STORAGE = {
  ...{ HUB_DATABASE_URL: '', HUB_MASTER_KEY: '', HUB_NEXT_MASTER_KEY: '', HUB_PEER_URL: '' },
}

const ready = z.object({ event: z.literal('ready'), http: z.url(), mqtt: z.url(), admin: z.url() })
/** A line of `hub device add --json`. */
export const mintedDevice = z
  .object({ serial: z.string(), key: z.string() })
  .transform(({ serial, key: keyText }) => {
    const key = parseKey(keyText)
    if (!key) throw new Error('The hub minted an invalid key.')
    return { serial, key, keyText }
  })
export type MintedDevice = z.infer<typeof mintedDevice>

/** A temporary hub: a process on free ports, with a temporary data folder. */
export interface HubProcess {
  http: string
  mqtt: string
  /** The data folder; the caller may keep other files in it. */
  folder: string
  createPartner(name: string): Promise<Credentials>
  addDevice(serial: string): Promise<MintedDevice>
  /** Stops the hub and deletes the folder. */
  stop(): Promise<void>
}

/** The hub's own process. */
export interface HubChild {
  child: ChildProcess
  /** The addresses of its ready line. Rejects with its error message when it ends before, or is late. */
  ready: Promise<z.infer<typeof ready>>
}

export interface HubChildOptions {
  /** The signal that the end of this process sends to the hub. */
  lastSignal?: NodeJS.Signals
  readyWithinMs?: number
}

/** Starts the hub as `npm start` does, with its settings in the environment. */
export function spawnHub(
  environment: NodeJS.ProcessEnv,
  { lastSignal = 'SIGTERM', readyWithinMs = READY_WITHIN_MS }: HubChildOptions = {},
): HubChild {
  const child = spawn(process.execPath, [join(root, 'server/main.ts')], {
    env: { ...environment, HUB_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C signals a whole process group: the hub must not end before the speaker has disconnected.
    detached: true,
  })
  const endWithUs = () => void child.kill(lastSignal)
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-MOST_COMPLAINT)
  })
  const line = firstLine(child.stdout, child, readyWithinMs).catch(() => {
    throw new Error(`The hub did not start: ${complaint.trim() || 'no error message'}`)
  })
  return { child, ready: line.then((text) => ready.parse(JSON.parse(text))) }
}

/** Starts a hub with a temporary data folder and its own settings in the given environment. */
export async function startHubProcess(environment: NodeJS.ProcessEnv): Promise<HubProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-demo-'))
  const env = {
    ...environment,
    ...OWN_STORAGE,
    HUB_LOG_LEVEL: 'error',
    HUB_DATA_DIR: folder,
    ...FREE_LISTENERS,
  }
  const hub = spawnHub(env)

  const stop = async () => {
    const { child } = hub
    const cut = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
    await stopProcess(child)
    clearTimeout(cut)
    rmSync(folder, { recursive: true, force: true })
  }

  const command = async (...args: string[]): Promise<unknown> => JSON.parse(await runHubCommand(env, args))

  try {
    const { http, mqtt } = await hub.ready
    return {
      http,
      mqtt,
      folder,
      createPartner: async (name) => credentials.parse(await command('partner', 'create', '--name', name)),
      addDevice: async (serial) => mintedDevice.parse(await command('device', 'add', '--serial', serial)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstLine(
  output: NodeJS.ReadableStream,
  hub: ChildProcess,
  withinMs: number,
): Promise<string> {
  const lines = createInterface({ input: output })
  const late = AbortSignal.timeout(withinMs)
  const [line] = await Promise.race([
    once(lines, 'line', { signal: late }),
    once(hub, 'exit', { signal: late }).then(() => Promise.reject(new Error('the hub has exited'))),
  ])
  return String(line)
}
