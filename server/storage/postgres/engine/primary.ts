import { Client, type ClientBase, type ClientConfig, types } from 'pg'
import { OperatorError, reason } from '../../../platform/errors.ts'
import { serversOf } from '../../../platform/net/database-url.ts'
import { isLost } from './driver-errors.ts'

/**
 * What a connection waits for at most. A hub that freezes inside a transaction keeps its rows for the last of them.
 *
 * Why a lock takes longer than a second: after that (deadlock_timeout) the server looks for a deadlock and ends one of
 * its transactions, which then runs again. An earlier end of the wait would refuse both.
 */
const TIMEOUTS = {
  lock_timeout: 1_500,
  statement_timeout: 5_000,
  idle_in_transaction_session_timeout: 2_000,
}
/**
 * One plan for each statement, which goes by the indexes. Measured with ten partitions: the server would plan a statement again
 * at each call, because it takes the plan for one partition to be cheaper; that took 0.9 ms where the statement itself takes 0.1.
 * And it would keep a plan that reads the few rows of a partition's first second a minute and a hundred thousand rows later.
 */
const PLANNING = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'max_parallel_workers_per_gather=0',
  'jit=off',
]
/**
 * The server ends a connection whose other end has acknowledged nothing for 25 s. Otherwise it takes two hours, as systems
 * have it: each silent cut would leave all connections of a hub, and after a few cuts the server would take no more.
 */
export const SESSION_OPTIONS = [
  ...PLANNING,
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=25000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')
/** The hub looks in the same way whether a server is there that takes long to answer. */
const KEEPALIVE_AFTER_MS = 10_000
const CONNECT_TIMEOUT_MS = 5_000

const INT8 = 20

/** No server of the database answers as its primary: another attempt may find one. */
export class Unreachable extends OperatorError {}

/** To open a connection, or to get one from the pool. As with libpq, `connect_timeout` of the address sets it in seconds. */
export function connectTimeoutMs(server: string): number {
  const seconds = Number(new URL(server).searchParams.get('connect_timeout'))
  return seconds > 0 ? seconds * 1_000 : CONNECT_TIMEOUT_MS
}

/** The settings of each connection, for `pg`. */
export function connectionSettings(server: string): ClientConfig {
  return {
    connectionString: server,
    application_name: 'soundbox-hub',
    connectionTimeoutMillis: connectTimeoutMs(server),
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS, options: SESSION_OPTIONS },
    types: { getTypeParser },
    ...TIMEOUTS,
  }
}

/** Our integers are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : types.getTypeParser(oid, format)
}

/** Throws for a server that only repeats another one. */
export async function refuseStandby(client: ClientBase) {
  const { rows } = await client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
  if (rows[0]?.isStandby !== false) throw new Error('it is a standby')
}

/**
 * Opens a connection to the primary among the servers of a database. Throws Unreachable when none answers, and the
 * server's own error when one refuses this user or database.
 */
export async function connectToPrimary(url: string, settings: ClientConfig = {}): Promise<Client> {
  const reasons: string[] = []
  for (const server of serversOf(url)) {
    const client = new Client({ ...connectionSettings(server), ...settings })
    // A connection that is lost tells so where it is used next.
    client.on('error', () => undefined)
    try {
      await client.connect()
      await refuseStandby(client)
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (!isLost(error)) throw error
      reasons.push(`${new URL(server).host}: ${why(error)}`)
    }
  }
  throw unreachable(reasons.join('; '))
}

/** Ends a connection, and what waits on it, without a word to the server, which may not answer. */
export function giveUp({ connection: { stream } }: Client) {
  stream.destroy(new Error('PostgreSQL does not answer'))
}

export function unreachable(what: string): Unreachable {
  return new Unreachable(
    `PostgreSQL can't be reached (${what}): check HUB_DATABASE_URL, and that the server runs.`,
  )
}

/** A host with several addresses fails with an error for each. */
function why(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(reason).join(', ') : reason(error)
}
