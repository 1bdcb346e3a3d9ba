import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { parseKey } from '../../../protocol/keys.ts'
import { type Credentials, credentials, runHubCommand } from './hub-command.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** For a very busy machine; a hub that can't start exits with an error. */
const READY_WITHIN_MS = 30_000
const STOPPED_WITHIN_MS = 12_000

/** Free ports of this machine. An empty setting counts as not set. */
const LISTENERS = {
  ...{ HUB_HOST: '127.0.0.1', HUB_HTTP_HOST: '', HUB_MQTT_HOST: '', HUB_ADMIN_HOST: '' },
  ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' },
}

const ready = z.object({ event: z.literal('ready'), http: z.url(), mqtt: z.url() })
const device = z.object({ serial: z.string(), key: z.string() }).transform(({ serial, key: keyText }) => {
  const key = parseKey(keyText)
  if (!key) throw new Error('The hub minted an invalid key.')
  return { serial, key, keyText }
})

/** A temporary hub: a process on free ports, with a temporary data folder. */
export interface HubProcess {
  http: string
  mqtt: string
  /** The data folder; the caller may keep other files in it. */
  folder: string
  createPartner(name: string): Promise<Credentials>
  addDevice(serial: string): Promise<z.infer<typeof device>>
  /** Stops the hub and deletes the folder. */
  stop(): Promise<void>
}

/** Starts the hub as `npm start` does, with its own settings in the given environment, and waits for its ready line. */
export async function startHubProcess(environment: NodeJS.ProcessEnv): Promise<HubProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-demo-'))
  const env = { ...environment, HUB_LOG_LEVEL: 'error', HUB_DATA_DIR: folder, ...LISTENERS }
  const hub = spawn(process.execPath, [join(root, 'server/main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C signals a whole process group: the hub must not end before the speaker has disconnected.
    detached: true,
  })
  const endWithUs = () => void hub.kill('SIGTERM')
  process.once('exit', endWithUs)
  let complaint = ''
  hub.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })

  const stop = async () => {
    if (hub.exitCode === null && hub.signalCode === null) {
      const exited = once(hub, 'exit')
      hub.kill('SIGTERM')
      const cut = setTimeout(() => hub.kill('SIGKILL'), STOPPED_WITHIN_MS)
      await exited
      clearTimeout(cut)
    }
    process.off('exit', endWithUs)
    rmSync(folder, { recursive: true, force: true })
  }

  const command = async (...args: string[]): Promise<unknown> => JSON.parse(await runHubCommand(env, args))

  try {
    const line = await firstLine(hub.stdout, hub)
    const { http, mqtt } = ready.parse(JSON.parse(line))
    return {
      http,
      mqtt,
      folder,
      createPartner: async (name) => credentials.parse(await command('partner', 'create', '--name', name)),
      addDevice: async (serial) => device.parse(await command('device', 'add', '--serial', serial)),
      stop,
    }
  } catch {
    await stop()
    throw new Error(`The hub did not start: ${complaint.trim() || 'no error message'}`)
  }
}

async function firstLine(output: NodeJS.ReadableStream, hub: ReturnType<typeof spawn>): Promise<string> {
  const lines = createInterface({ input: output })
  const late = AbortSignal.timeout(READY_WITHIN_MS)
  const [line] = await Promise.race([
    once(lines, 'line', { signal: late }),
    once(hub, 'exit', { signal: late }).then(() => Promise.reject(new Error('the hub has exited'))),
  ])
  return String(line)
}
