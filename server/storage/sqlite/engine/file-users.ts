import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'

/** A process, by the words that a person has started it with. */
export interface FileUser {
  pid: number
  command: string
  /** Whether it is a command of the hub's command line, which ends by itself. */
  isCommand: boolean
}

/** lsof looks through all processes of the system. */
const LOOK_MS = 3_000

/**
 * The other process that has this file open. Undefined when none is seen: one of another user or of another container is
 * not. Linux has /proc, and often no lsof. macOS has no /proc, and always lsof and ps. Tests run both ways on Linux, whose
 * lsof and ps take the same options.
 *
 * Why not a note of the process that takes a lock: a command that only looks writes nothing.
 */
export function userOfFile(file: string, hasProc = process.platform === 'linux'): FileUser | undefined {
  try {
    const pid = hasProc ? pidByProc(file) : pidByLsof(file)
    if (pid === undefined) return undefined
    return { pid, ...describeArguments(hasProc ? argumentsByProc(pid) : argumentsByPs(pid)) }
  } catch {
    return undefined
  }
}

/** `hub listen, pid 4711`. */
export const nameOfUser = ({ command, pid }: FileUser) => `${command}, pid ${pid}`

function pidByProc(file: string): number | undefined {
  const { dev, ino } = statSync(file)
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => pid > 0 && pid !== process.pid && hasOpen(pid, dev, ino))
}

function hasOpen(pid: number, dev: number, ino: number): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((fd) => {
      const opened = statSync(`${folder}/${fd}`, { throwIfNoEntry: false })
      return opened?.ino === ino && opened.dev === dev
    })
  } catch {
    // It has ended, or belongs to another user.
    return false
  }
}

function pidByLsof(file: string): number | undefined {
  return run('lsof', '-t', '--', file)
    .split('\n')
    .map(Number)
    .find((pid) => pid > 0 && pid !== process.pid)
}

function argumentsByProc(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
}

function argumentsByPs(pid: number): string[] {
  // Without -ww it cuts them at the width of a terminal, or at 79 characters.
  return run('ps', '-ww', '-o', 'args=', '-p', String(pid)).trim().split(/\s+/)
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    timeout: LOOK_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Names a process by its arguments. Options are left out: they may hold a secret. */
export function describeArguments(args: readonly string[]): Omit<FileUser, 'pid'> {
  const at = (path: string) => args.findIndex((arg) => arg.endsWith(path))
  if (at('server/main.ts') >= 0) return { command: 'npm start', isCommand: false }
  const cli = at('operate/cli/main.ts')
  if (cli < 0) return { command: basename(args[0] ?? '') || 'a program', isCommand: false }
  const rest = args.slice(cli + 1)
  const end = rest.findIndex((arg) => !/^[a-z][a-z-]*$/.test(arg))
  const words = rest.slice(0, Math.min(end < 0 ? rest.length : end, 2))
  return { command: ['hub', ...words].join(' '), isCommand: true }
}
