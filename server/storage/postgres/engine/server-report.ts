import { reason } from '../../../platform/errors.ts'
import { connectToPrimary } from './primary.ts'
import { probeWrites } from './probe.ts'

/** The state of the PostgreSQL server and of the hubs on it, for an operator. */
export interface ServerReport {
  version: string
  /** Settings of the server that say whether a commit is on disk, and on a second machine. */
  fsync: string
  synchronousCommit: string
  synchronousStandbys: string
  /** How far this machine's clock is ahead of the server's, milliseconds. */
  clockAheadMs: number
  /** Why no payment can be stored. Undefined when it can. */
  cantWrite: string | undefined
  database: string
  /** Whether every role of the server may connect to the database. */
  isForAll: boolean
  /** The id of the master key that hubs seal under. */
  keyInForce: string
  /** Of earlier keys that rows may still be sealed under. */
  keysNeeded: string[]
  hubs: LiveHub[]
}

/** A hub that beats. `clockAheadMs` is of its machine. */
export interface LiveHub {
  host: string
  pid: number
  version: string
  startedAt: number
  clockAheadMs: number
}

/** Asks a server that the hub has migrated. */
export async function reportServer(url: string, now: () => number): Promise<ServerReport> {
  const client = await connectToPrimary(url)
  try {
    const askedAt = now()
    const { rows: clocks } = await client.query<{ at: number }>('SELECT clock_ms() AS at')
    // In the middle of the round trip.
    const here = (askedAt + now()) / 2
    const { rows } = await client.query<Omit<ServerReport, 'clockAheadMs' | 'hubs' | 'cantWrite'>>(
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('synchronous_standby_names') AS "synchronousStandbys",
         current_database() AS database,
         has_database_privilege('public', current_database(), 'CONNECT') AS "isForAll",
         (SELECT encode(substr(sealed, 2, 4), 'hex') FROM vault_canary) AS "keyInForce",
         ARRAY(SELECT id FROM previous_master_keys WHERE given_up_at IS NULL) AS "keysNeeded"`,
    )
    const { rows: hubs } = await client.query<LiveHub>(
      `SELECT host, pid, version, started_at AS "startedAt", clock_ahead_ms AS "clockAheadMs"
       FROM live_hubs ORDER BY started_at`,
    )
    const [server] = rows
    if (!server) throw new Error('a SELECT without FROM has one row')
    const cantWrite = await probeWrites(async (_, text) => (await client.query(text)).rows).then(
      () => undefined,
      (error) => reason(error.cause ?? error),
    )
    return { ...server, clockAheadMs: Math.round(here - (clocks[0]?.at ?? here)), cantWrite, hubs }
  } finally {
    await client.end()
  }
}
