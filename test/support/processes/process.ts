import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { OnEnd } from '../folder.ts'
import { TEST_MASTER_KEY } from '../storage.ts'
import { until } from '../wait.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
/** The hub's compile cache. Without it, a short command spends half of its time on compiling its imports. */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/soundbox-hub', import.meta.url))

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A child process. The end of the test kills it. */
export interface Running {
  child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
  /** The lines of JSON that it has printed so far. */
  events(): Record<string, unknown>[]
}

/** A hub's environment: a data folder and free ports, and nothing of the test runner's environment. */
export function hubEnv(dataDir: string, changes: Record<string, string> = {}): Record<string, string> {
  const ports = { HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' }
  const given = { HUB_DATA_DIR: dataDir, HUB_LOG_LEVEL: 'warn', XDG_STATE_HOME: `${dataDir}/state` }
  return { ...ports, ...given, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64'), ...changes }
}

export function start(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  onEnd: OnEnd = onTestFinished,
): Running {
  const own = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED }
  const child = spawn(command, args, { cwd: PROJECT, env: { ...own, ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  onEnd(() => void child.kill('SIGKILL'))
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    events: () =>
      stdout
        .split('\n')
        .slice(0, -1)
        .filter((line) => line !== '')
        .map((line) => Object(JSON.parse(line))),
  }
}

/** Runs one command of the command line until it exits. */
export async function runHub(
  args: string[],
  env: Record<string, string>,
): Promise<Ended & { json: unknown }> {
  const ended = await start(process.execPath, ['server/operate/cli/main.ts', ...args], env).ended
  return { ...ended, json: ended.stdout === '' ? undefined : JSON.parse(ended.stdout) }
}

/** Starts the hub's process. Resolves with its addresses when it is ready. */
export async function startHubProcess(env: Record<string, string>) {
  const running = start(process.execPath, ['server/main.ts'], env)
  const ready = await until('the ready line', () => {
    if (running.child.exitCode !== null) throw new Error(`the hub ended: ${running.stderr()}`)
    return running.events()[0]
  })
  return { ...running, ready, http: String(ready.http), mqtt: String(ready.mqtt), admin: String(ready.admin) }
}
