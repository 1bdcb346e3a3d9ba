import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const MAIN = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))
/** A machine may be loaded; a hub that is not ready by then never will be. */
const READY_WITHIN_MS = 60_000
/** What is kept of what a hub complains about. */
const COMPLAINTS = 8_000

const ready = z.object({ http: z.url(), mqtt: z.url() })

export interface OwnHubOptions {
  dataDir: string
  masterKey: Buffer
  env?: Record<string, string>
  /** What runs instead of the hub's own main file, with its arguments. */
  launch?: readonly string[]
}

/** A hub in a process of its own, that comes back on the same ports and the same data. */
export interface OwnHub {
  http: string
  mqtt: string
  pid(): number
  /** Starts it again after it has ended; resolves at its ready line. */
  start(): Promise<void>
  /** Ends it as a power cut does. */
  kill(): Promise<void>
  killAndRestart(): Promise<void>
  /** Asks it to end; the exit code, and how long it took in milliseconds. */
  terminate(): Promise<{ code: number | null; ms: number }>
  /** Sends a message to a hub that was launched to take some. */
  send(message: object): void
  /** The same, and waits for its answer. */
  ask(message: object): Promise<unknown>
  /** The last of what it wrote to standard error. */
  complaints(): string
  /** Ends it if it still runs. */
  stop(): Promise<void>
}

export async function startOwnHub({
  dataDir,
  masterKey,
  env = {},
  launch = [process.execPath, MAIN],
}: OwnHubOptions): Promise<OwnHub> {
  const settings = {
    HUB_DATA_DIR: dataDir,
    HUB_MASTER_KEY: masterKey.toString('base64'),
    HUB_LOG_LEVEL: 'error',
    // All speakers come from one address here, and at once after a kill.
    HUB_MQTT_CONNECTS_PER_SECOND: '10000',
    ...env,
  }
  let complaints = ''
  const start = async (ports: { http: string; mqtt: string }) => {
    const [program = process.execPath, ...args] = launch
    const child = spawn(program, args, {
      env: { ...process.env, ...settings, HUB_HTTP_PORT: ports.http, HUB_MQTT_PORT: ports.mqtt },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-COMPLAINTS)
    })
    try {
      return { child, ...(await readyLine(child)) }
    } catch (error) {
      child.kill('SIGKILL')
      throw new Error(`the hub did not start: ${complaints}`, { cause: error })
    }
  }

  let running = await start({ http: '0', mqtt: '0' })
  const { http, mqtt } = running
  const ports = { http: new URL(http).port, mqtt: new URL(mqtt).port }
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  const self: OwnHub = {
    http,
    mqtt,
    pid: () => running.child.pid ?? 0,
    async start() {
      running = await start(ports)
    },
    kill: () => end('SIGKILL'),
    async killAndRestart() {
      await self.kill()
      await self.start()
    },
    async terminate() {
      const startedAt = performance.now()
      await end('SIGTERM')
      return { code: running.child.exitCode, ms: performance.now() - startedAt }
    },
    send: (message) => void running.child.send(message),
    ask: (message) => ask(running.child, message),
    complaints: () => complaints,
    stop: () => end('SIGTERM'),
  }
  return self
}

/** Sends a message to a process that answers each with one. */
export async function ask(child: ChildProcess, message: object): Promise<unknown> {
  const answered = once(child, 'message')
  child.send(message)
  const [answer] = await answered
  return answer
}

async function readyLine(child: ChildProcess) {
  if (!child.stdout) throw new Error('a hub is spawned with a pipe for its ready line')
  const signal = AbortSignal.timeout(READY_WITHIN_MS)
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line', { signal }),
    once(child, 'exit', { signal }).then(() => Promise.reject(new Error('it has ended'))),
  ])
  return ready.parse(JSON.parse(String(line)))
}
