import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg'
import { serversOf } from '../../../platform/net/database-url.ts'
import { NO_CIRCUIT } from '../../circuit.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { connectionSettings, connectTimeoutMs, giveUp } from './primary.ts'
import { checkServer } from './server-identity.ts'

/** A server that has not answered by then is gone: its own timeouts are shorter. */
const ANSWER_TIMEOUT_MS = 8_000

/** One connection inside BEGIN … COMMIT. */
export interface Tx {
  /**
   * Runs a statement. `name` stands for its text on this connection: each text has its own. Statements that are sent
   * together (Promise.all) go out together, and run in their order.
   */
  query<R>(name: string, text: string, values?: readonly unknown[]): Promise<R[]>
  /**
   * Sends COMMIT behind the statements that were sent, which saves waiting for them first. Nothing may follow, and the
   * act must not fail by itself any more: it waits for its statements, and returns.
   */
  end(): void
}

export type ServerChoice = ReturnType<typeof chooseServer>

/** Which server of a URL new connections go to. Pools share it: the first one that finds another server finds it for all. */
export function chooseServer(url: string) {
  const servers = serversOf(url)
  let choice = 0
  const now = () => servers[choice % servers.length] ?? url
  return {
    count: servers.length,
    /** The address of the server, which stays the first choice until it fails. */
    now,
    /** A connection to this address could not be opened. */
    failed(address: string) {
      if (address === now()) choice += 1
    },
  }
}

/**
 * A pool of connections to the primary. `settings` are added to those of each connection. When a connection can't be
 * opened, the next server is tried.
 *
 * When the circuit finds the server away, all connections are given up: what is under way fails at once, and nothing waits
 * on a dead connection when the server is back.
 */
export function createConnections(
  server: ServerChoice,
  most: number,
  settings: ClientConfig = {},
  circuit = NO_CIRCUIT,
) {
  const open = new Set<Client>()

  class ChosenClient extends Client {
    constructor() {
      super({
        ...connectionSettings(server.now()),
        ...{ query_timeout: ANSWER_TIMEOUT_MS, pipeline: true },
        ...settings,
      })
      open.add(this)
      this.once('end', () => open.delete(this))
      // For an act that has waited for one that was given up.
      if (circuit.isAway()) setImmediate(giveUp, this)
    }
  }
  const forgetCircuit = circuit.onAway(() => open.forEach(giveUp))

  const pool = new Pool({
    Client: ChosenClient,
    connectionTimeoutMillis: settings.connectionTimeoutMillis ?? connectTimeoutMs(server.now()),
    max: most,
    verify: (client, done) => void checkServer(client).then(() => done(), done),
  })
  // A connection that is lost tells so where it is used next.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))

  async function connect(): Promise<PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      if (circuit.isAway()) throw unavailable()
      const tried = server.now()
      try {
        return await pool.connect()
      } catch (error) {
        server.failed(tried)
        if (attempt >= server.count) throw unavailable(error)
      }
    }
  }

  const withClient = <T>(act: (client: PoolClient) => Promise<T>): Promise<T> =>
    circuit.pass(async () => {
      const client = await connect()
      try {
        return await act(client)
      } finally {
        client.release(lost.has(client))
      }
    })

  return {
    /** Runs a statement outside a transaction. */
    query: <R>(...args: Parameters<Tx['query']>) => withClient((client) => send<R>(client, ...args)),

    /** Runs `act` in one transaction. Throws the server's own errors; a lost connection is UNAVAILABLE. */
    transaction: <T>(act: (tx: Tx) => Promise<T>) => withClient((client) => transact(client, act)),

    close(): Promise<void> {
      forgetCircuit()
      return pool.end()
    },
  }
}

async function transact<T>(client: PoolClient, act: (tx: Tx) => Promise<T>): Promise<T> {
  let committed: Promise<void> | undefined
  /** The statements behind it fail only because of it. */
  let firstError: unknown
  const query: Tx['query'] = (...args) =>
    send<never>(client, ...args).catch((error) => {
      firstError ??= error
      throw error
    })
  const end = () => {
    committed ??= commit(client)
    committed.catch(() => undefined)
  }
  try {
    // Goes out with the first statements. If it fails, no other follows them: each would be a commit of its own.
    const begun = send(client, 'begin', 'BEGIN')
    begun.catch(() => lost.add(client))
    const value = await act({ query, end })
    await begun
    await (committed ?? commit(client))
    return value
  } catch (error) {
    // The COMMIT behind a statement that has failed is a ROLLBACK.
    if (committed !== undefined) await committed.catch(() => undefined)
    else if (!lost.has(client)) await send(client, 'rollback', 'ROLLBACK').catch(() => undefined)
    throw firstError ?? error
  }
}

/** Connections not to use again: BEGIN has failed, the server has ended them, or an error was not the server's. */
const lost = new WeakSet<PoolClient>()

async function asked<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const isServers = error instanceof DatabaseError
    if (!isServers || error.severity !== 'ERROR') lost.add(client)
    throw isServers ? error : unavailable(error)
  }
}

/** A text of PostgreSQL holds no NUL. It becomes U+FFFD, as an ill-formed character does in UTF-8. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  return Array.isArray(value) ? value.map(storable) : value
}

async function send<R>(
  client: PoolClient,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  if (lost.has(client)) throw unavailable()
  writeTogether(client)
  const { rows } = await asked(client, client.query({ name, text, values: values.map(storable) }))
  // The caller knows the columns of its text.
  return rows as R[]
}

/** What is sent in one turn goes out in one write: a write costs more than all else that sending a statement takes. */
function writeTogether({ connection: { stream } }: PoolClient) {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

async function commit(client: PoolClient) {
  writeTogether(client)
  const { command } = await asked(client, client.query({ name: 'commit', text: 'COMMIT' }))
  // The server answers ROLLBACK when a statement has failed and the act has gone on.
  if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed')
}
