import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { ROOT } from './markdown.ts'

/** What the commands of a page need of the repository. */
const LINKED = ['package.json', 'bin', 'node_modules', 'protocol', 'server', 'simulator', 'test', 'docs']

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

/** A command that runs on. */
export interface Background {
  stdout(): string
  /** Resolves with the match when the output matches; rejects when the command ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

/**
 * Runs the commands of a page as a reader does: in a folder that looks like a clone, with variables that live on from
 * one block to the next. Data folder and ports are its own.
 */
export interface Shell {
  run(code: string, input?: string): Promise<Result>
  start(code: string): Background
  /** From now on commands have `to` where the page has `from`. */
  replace(from: string, to: string): void
}

/** `prelude` is run before each block. What still runs when the test is over is killed. */
export async function createShell(folder: string, prelude: string): Promise<Shell> {
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name))
  mkdirSync(join(folder, 'backups'))
  const variables = join(folder, 'variables')
  const receiverPort = String(await freePort())
  const replacements = new Map([
    ['/var/backups', join(folder, 'backups')],
    ['1884', String(await freePort())],
    ['127.0.0.1:3000', `127.0.0.1:${receiverPort}`],
  ])
  let env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0', PORT: receiverPort },
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/soundbox-hub'),
  }

  const begin = (code: string) => {
    let text = code
    for (const [from, to] of replacements) text = text.replaceAll(from, to)
    const script = `${prelude}\nset -euo pipefail\nset -a\n${text}\nenv -0 > '${variables}'`
    // A group of its own: npm, its shell and the command end together.
    const child = spawn('bash', ['-c', script], { cwd: folder, env, detached: true })
    onTestFinished(() => endGroup(child, 'SIGKILL'))
    return child
  }

  return {
    async run(code, input = '') {
      const child = begin(code)
      const output = collect(child)
      // A command that reads nothing may have ended already.
      child.stdin.on('error', () => {}).end(input)
      const [exitCode] = await once(child, 'close')
      if (exitCode === 0) env = readVariables(variables)
      return { code: exitCode, ...output }
    },
    start(code) {
      const child = begin(code)
      const output = collect(child)
      const closed = once(child, 'close')
      return {
        stdout: () => output.stdout,
        says: (pattern) => matchOf(child, output, pattern),
        async stop() {
          endGroup(child, 'SIGTERM')
          await closed
        },
      }
    },
    replace: (from, to) => void replacements.set(from, to),
  }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  return output
}

function matchOf(
  child: ChildProcess,
  output: { stdout: string; stderr: string },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(output.stdout)
      if (match) resolve(match)
    }
    look()
    child.stdout?.on('data', look)
    child.once('close', () =>
      reject(new Error(`it ended without ${pattern}: ${output.stdout}${output.stderr}`)),
    )
  })
}

function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL') {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, signal)
}

function readVariables(file: string): Record<string, string> {
  const entries = readFileSync(file, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(entries.map((entry) => splitAt(entry, entry.indexOf('='))))
}

function splitAt(text: string, index: number): [string, string] {
  return [text.slice(0, index), text.slice(index + 1)]
}
