import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg'
import { serversOf } from '../../../platform/net/database-url.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { connectionSettings, connectTimeoutMs } from './primary.ts'
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

export interface Connections {
  /** Outside a transaction. */
  query: Tx['query']
  /** Runs `act` in one transaction. Throws the server's own errors; a lost connection is UNAVAILABLE. */
  transaction<T>(act: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * A pool of connections to the primary. `settings` are added to those of each connection. When a connection can't be
 * opened, the next server of the URL is tried: it stays the first choice until it fails.
 */
export function createConnections(url: string, most: number, settings: ClientConfig = {}): Connections {
  const servers = serversOf(url)
  let choice = 0

  class ChosenClient extends Client {
    constructor() {
      super({
        ...connectionSettings(servers[choice % servers.length] ?? url),
        ...{ query_timeout: ANSWER_TIMEOUT_MS, pipeline: true },
        ...settings,
      })
    }
  }

  const pool = new Pool({
    Client: ChosenClient,
    connectionTimeoutMillis: connectTimeoutMs(servers[0] ?? url),
    max: most,
    verify: (client, done) => void checkServer(client).then(() => done(), done),
  })
  // A connection that is lost tells so where it is used next.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))

  async function connect(): Promise<PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = choice
      try {
        return await pool.connect()
      } catch (error) {
        if (tried === choice) choice += 1
        if (attempt >= servers.length) throw unavailable(error)
      }
    }
  }

  async function withClient<T>(act: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect()
    try {
      return await act(client)
    } finally {
      client.release(lost.has(client))
    }
  }

  return {
    query: (...args) => withClient((client) => send(client, ...args)),

    transaction: (act) =>
      withClient(async (client) => {
        let committed: Promise<void> | undefined
        const end = () => {
          committed ??= commit(client)
          committed.catch(() => undefined)
        }
        try {
          // Goes out with the first statements. If it fails, no other follows them: each would be a commit of its own.
          const begun = send(client, 'begin', 'BEGIN')
          begun.catch(() => lost.add(client))
          const value = await act({ query: (...args) => send(client, ...args), end })
          await begun
          await (committed ?? commit(client))
          return value
        } catch (error) {
          // The COMMIT behind a statement that has failed is a ROLLBACK.
          if (committed !== undefined) await committed.catch(() => undefined)
          else if (!lost.has(client)) await send(client, 'rollback', 'ROLLBACK').catch(() => undefined)
          throw error
        }
      }),

    close: () => pool.end(),
  }
}

/** Connections on which an error was not the server's, or its last word, and those in an unknown state. */
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
  // The server's answer when a statement has failed and the act has gone on.
  if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed')
}
