import { OperatorError } from '../../platform/errors.ts'
import { when } from '../for-people.ts'
import { type LiveHub, lookIntoWorkspace, reportPostgres, type ServerReport } from './workspace.ts'

/** Hubs go by the server's time. This far apart, times in a log or of a command mislead. */
const CLOCK_APART_MS = 5_000
/** The values of synchronous_commit under which a commit does not wait for the server's own disk. */
const NOT_ON_DISK = ['off']
const ONLY_LOCAL = ['local']

/** By name. A check returns its finding, or throws what is wrong. */
export type Checks = Record<string, () => string | Promise<string>>

/** What `hub doctor` checks of a database in PostgreSQL. The first check reads it; the others judge what it has found. */
export function postgresChecks(): Checks {
  let report: ServerReport | undefined
  /** Runs `judge` on the report; without one, the check of the data says why. */
  const of = (judge: (report: ServerReport) => string) => () => {
    if (!report) throw new OperatorError('Not known, because the database could not be read.')
    return judge(report)
  }
  return {
    data: () =>
      lookIntoWorkspace(async ({ config, storage }) => {
        report = await reportPostgres(config)
        if (report.cantWrite !== undefined)
          throw new OperatorError(`No payment can be stored in PostgreSQL: ${report.cantWrite}.`)
        const [partners, devices] = [await storage.partners.list(), await storage.devices.list()]
        return `PostgreSQL ${report.version} can be written to; ${partners.length} partners, ${devices.length} devices`
      }),
    key: of(masterKey),
    access: of(access),
    commits: of(commits),
    clock: of(clock),
    hubs: of(({ hubs }) =>
      hubs.length === 0 ? 'none runs on this database' : hubs.map(describe).join('; '),
    ),
  }
}

/** Ids of keys, which say nothing about them. */
function masterKey({ keyInForce, keysNeeded }: ServerReport): string {
  const found = `everything is sealed under the master key ${keyInForce}`
  return keysNeeded.length === 0
    ? found
    : `hubs seal under the master key ${keyInForce}, and rows may still need ${keysNeeded.join(', ')}: hub master-key rotate has not ended`
}

/** Whoever may connect can use up connections and processor time, and fill the queue of NOTIFY. */
function access({ database, isForAll }: ServerReport): string {
  return isForAll
    ? `every role of this PostgreSQL may connect to the database, and slow the hubs down: REVOKE CONNECT, TEMPORARY ON DATABASE "${database}" FROM PUBLIC`
    : 'only roles that were granted it may connect to the database'
}

/** Whether a payment is on disk when it is answered, and on a second machine. */
function commits({ fsync, synchronousCommit, synchronousStandbys }: ServerReport): string {
  const found = `fsync ${fsync}, synchronous_commit ${synchronousCommit}, synchronous_standby_names '${synchronousStandbys}'`
  if (fsync !== 'on' || NOT_ON_DISK.includes(synchronousCommit))
    throw new OperatorError(
      `A crash of PostgreSQL loses payments that were answered (${found}): set both to on.`,
    )
  return synchronousStandbys === '' || ONLY_LOCAL.includes(synchronousCommit)
    ? `on the disk of one server (${found}): a failover may lose the last payments, which must be reported again, and disconnects all speakers`
    : `on the disks of two servers (${found}): a failover loses nothing, and speakers stay connected`
}

function clock({ clockAheadMs }: ServerReport): string {
  const found = `this machine's clock is ${apart(clockAheadMs)} PostgreSQL's`
  if (Math.abs(clockAheadMs) <= CLOCK_APART_MS) return found
  throw new OperatorError(
    `${found[0]?.toUpperCase()}${found.slice(1)}: set both by NTP. Hubs go by PostgreSQL's.`,
  )
}

function describe({ host, pid, version, startedAt, clockAheadMs }: LiveHub): string {
  return `${host} process ${pid}, version ${version}, since ${when(startedAt)}, its clock ${apart(clockAheadMs)} PostgreSQL's`
}

function apart(aheadMs: number): string {
  return `${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'}`
}
