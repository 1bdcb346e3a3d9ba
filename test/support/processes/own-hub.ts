import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { stopProcess } from '../../../simulator/platform/child-process.ts'
import { fixedPorts } from '../../../simulator/run/hub/hub-process.ts'
import type { Note } from '../proof/history.ts'

export const HUB_MAIN = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))
/** Ends a test whose hub hangs. A loaded machine does not reach it. */
const READY_WITHIN_MS = 600_000
/** Characters of standard error that are kept. */
const COMPLAINTS = 8_000

const ready = z.object({
  ...{ http: z.url(), mqtt: z.url(), mqtts: z.url().optional(), admin: z.url() },
  box: z.url().optional(),
})

export interface OwnHubOptions {
  dataDir: string
  masterKey: Buffer
  env?: Record<string, string>
  /** The program and arguments that replace the hub's main file. */
  launch?: readonly string[]
  /** The words before its command, such as those that run it in another network. */
  enter?: readonly string[]
  /** Gets what is done to it. */
  note?: Note
}

/** A hub in its own process. It restarts on the same ports and data. */
export interface OwnHub {
  http: string
  mqtt: string
  /** Undefined without HUB_MQTT_TLS_PORT. */
  mqtts: string | undefined
  /** Undefined without HUB_BOX_PORT. */
  box: string | undefined
  /** Where its figures are. */
  admin(): string
  pid(): number
  /** Restarts it. Resolves at its ready line. */
  start(): Promise<void>
  /** Ends it by SIGKILL, as a power cut does. */
  kill(): Promise<void>
  killAndRestart(): Promise<void>
  /** Sends SIGTERM. Resolves with the exit code and the milliseconds until the exit. */
  terminate(): Promise<{ code: number | null; ms: number }>
  /** Sends a message to a hub whose launcher takes messages. */
  send(message: object): void
  /** Sends a message and waits for the answer. */
  ask(message: object): Promise<unknown>
  /** The end of its standard error. */
  complaints(): string
  /** Ends it if it still runs. */
  stop(): Promise<void>
}

export async function startOwnHub({
  dataDir,
  masterKey,
  env = {},
  launch = [process.execPath, HUB_MAIN],
  enter = [],
  note = () => undefined,
}: OwnHubOptions): Promise<OwnHub> {
  const settings = {
    HUB_DATA_DIR: dataDir,
    HUB_MASTER_KEY: masterKey.toString('base64'),
    HUB_LOG_LEVEL: 'error',
    // Here all speakers have one address, and reconnect together after a kill.
    HUB_MQTT_CONNECTS_PER_SECOND: '10000',
    // Who waits for something asks again and again.
    HUB_RATE_PER_SECOND: '10000',
    HUB_RATE_BURST: '10000',
    ...env,
  }
  let complaints = ''
  const ports = await fixedPorts()
  const did = (what: string) => note({ kind: 'done', what: `the hub at ${ports.HUB_HTTP_PORT} ${what}` })
  const start = async () => {
    const [program = process.execPath, ...args] = [...enter, ...launch]
    const child = spawn(program, args, {
      env: { ...process.env, ...settings, ...ports },
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

  let running = await start()
  const { http, mqtt, mqtts, box, admin } = running
  const self: OwnHub = {
    http,
    mqtt,
    mqtts,
    box,
    admin: () => admin,
    pid: () => running.child.pid ?? 0,
    async start() {
      running = await start()
      did('is ready')
    },
    kill() {
      did('is killed')
      return stopProcess(running.child, 'SIGKILL')
    },
    async killAndRestart() {
      await self.kill()
      await self.start()
    },
    async terminate() {
      did('gets SIGTERM')
      const startedAt = performance.now()
      await stopProcess(running.child)
      return { code: running.child.exitCode, ms: performance.now() - startedAt }
    },
    send(message) {
      did(`gets ${JSON.stringify(message)}`)
      running.child.send(message)
    },
    ask: (message) => ask(running.child, message),
    complaints: () => complaints,
    stop: () => stopProcess(running.child),
  }
  return self
}

/** Sends a message to a process, and waits for its one answer. */
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
