import type { Client, ClientConfig } from 'pg'
import { OperatorError, reason } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { type Batching, carryOutAsync, PATIENCE_MS } from '../../acts/act.ts'
import { readGrantsRevision } from '../../acts/changes.ts'
import { NO_CIRCUIT, type StorageCircuit } from '../../circuit.ts'
import { type StorageObserver, UNOBSERVED } from '../../ports.ts'
import { createReadCache, TRUST_MS, trustedFor } from '../../shared/read-cache.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { migrate, refuseUnmigrated } from '../schema/migrate.ts'
import { runOn } from '../schema/statements.ts'
import { refuseUnfinishedImport } from '../schema/unfinished-import.ts'
import { createBatches } from './batches.ts'
import { checkMasterKeys, layCanary } from './canary.ts'
import { ATTEMPTS, isLost, isToRepeat, mapDriverError } from './driver-errors.ts'
import { createKeyInForce, isKeyOutdated } from './key-in-force.ts'
import { chooseServer, createConnections, type Tx } from './pool.ts'
import { connectToPrimary, SESSION_OPTIONS, unreachable } from './primary.ts'
import { watchServer } from './probe.ts'

export type { Tx } from './pool.ts'

/** Connections for batches. */
const LANES = 4
/** Connections for all else. */
const SINGLE = 4
/** Connections of who reads alone. */
const READING = 2
/** Writes that may be under way or wait. Beyond it the hub answers 503: to wait for seconds is worse for the caller. */
const WRITES_LIMIT = 10_000
/** One statement of an import counts a whole table. */
const COUNT_TIMEOUT_MS = 600_000
/** An import copies the events, too: the rows that it copies must not make them again. */
const IMPORTING = {
  options: `${SESSION_OPTIONS} -c hub.importing=on`,
  ...{ statement_timeout: COUNT_TIMEOUT_MS, query_timeout: COUNT_TIMEOUT_MS },
}
/** Refuses every write. */
const READ_ONLY = { options: `${SESSION_OPTIONS} -c default_transaction_read_only=on` }

export type PostgresDatabase = ReturnType<typeof databaseAt>

/**
 * Opens a database, and migrates it to the newest schema. Throws Unreachable when no server answers, and another
 * OperatorError when the database can't be used.
 */
export async function openDatabase(
  url: string,
  vault: Vault,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
  circuit?: StorageCircuit,
): Promise<PostgresDatabase> {
  await prepare(url, async (client) => {
    await migrateUnder(client, vault)
    await refuseUnfinishedImport(client)
  })
  return databaseAt(url, vault, {}, observe, circuit)
}

/** As `openDatabase`, also while an import is unfinished. */
export async function openDatabaseToImport(url: string, vault: Vault): Promise<PostgresDatabase> {
  await prepare(url, (client) => migrateUnder(client, vault))
  return databaseAt(url, vault, IMPORTING)
}

/** As `openDatabase`, to read alone: it makes and migrates nothing, and its writes are refused. */
export async function lookIntoDatabase(
  url: string,
  vault: Vault,
  circuit?: StorageCircuit,
): Promise<PostgresDatabase> {
  await prepare(url, async (client) => {
    await refuseUnmigrated(client)
    await refuseUnfinishedImport(client)
    await checkMasterKeys(client, vault)
  })
  return databaseAt(url, vault, READ_ONLY, UNOBSERVED, circuit, READING)
}

/** Migrates a database. Under a wrong master key, it is left as it is. */
async function migrateUnder(client: Client, vault: Vault) {
  await checkMasterKeys(client, vault)
  await migrate(client)
  await layCanary(client, vault)
  await checkMasterKeys(client, vault)
}

function databaseAt(
  url: string,
  keys: Vault,
  settings: ClientConfig,
  observe: Pick<StorageObserver, 'commit'> = UNOBSERVED,
  circuit = NO_CIRCUIT,
  most = SINGLE,
) {
  const server = chooseServer(url)
  const single = createConnections(server, most, settings, circuit)
  const lanes = createConnections(server, LANES, settings, circuit)
  const endWatch = watchServer(circuit, server)
  const { counted, underWay, ended } = createWriteCount()

  /** Reads outside a transaction. Never call it inside one: it waits for a connection. */
  const read = <R>(...args: Parameters<Tx['query']>) =>
    single.query<R>(...args).catch((error: unknown) => {
      throw mapDriverError(error)
    })

  const { vault, know, ask } = createKeyInForce(keys, read)
  const writeSingle = writeOn(single, know, observe)
  const writeBatch = writeOn(lanes, know, observe)

  /** As `batched`, for reads outside a transaction. Each read begins after its call. */
  function gathered<A, T>(name: string, run: (query: Tx['query'], calls: A[]) => Promise<T[]>) {
    return createBatches(name, (_, act) => act(read), run)
  }

  const grants = trustedFor(TRUST_MS, () => carryOutAsync(readGrantsRevision(), runOn(read)))

  let closed: Promise<void> | undefined
  async function close() {
    await ended()
    endWatch()
    await Promise.all([single.close(), lanes.close()])
  }

  return {
    /** Seals under the key in force: seal only inside of a transaction. */
    vault,
    askForKey: ask,
    read,
    /**
     * Runs `act` in one transaction, again after a deadlock, a serialization failure, a key that another one has stored
     * meanwhile, or a stop of this process after which it must ask which master key seals. Driver errors become UNAVAILABLE,
     * also a commit of which nobody knows whether it came through.
     */
    write: <T>(act: (tx: Tx) => Promise<T>) => counted(() => writeSingle(1, act)).finally(grants.forget),
    /** Runs one statement outside a transaction: a hub that freezes meanwhile holds no row that the others wait for. */
    writeAlone: (name: string, text: string) => counted(() => read<object>(name, text)),
    /**
     * A queue whose calls share transactions: `run` gets the arguments of up to fifty calls and answers each in its place.
     * It may run twice. Calls of the same key keep their order; without `keyOf` all calls do.
     */
    batched<A, T>(name: string, run: (tx: Tx, calls: A[]) => Promise<T[]>, how: Batching<A> = {}) {
      const { keyOf, isPatient } = how
      const queue = () => createBatches(name, writeBatch, run, isPatient ? PATIENCE_MS : 0)
      // Two queues: with more of them, batches are smaller and cost as much.
      const [even, odd] = [queue(), queue()]
      return (call: A) => counted(() => (keyOf && isOdd(keyOf(call)) ? odd : even)(call))
    },
    gathered,
    /** Caches what every request reads, until the revision of the grants changes. */
    cachedByGrants: createReadCache(grants.look),
    /** Writes that are under way or wait. */
    writesWaiting: underWay,
    /** Waits for the writes under way. The second call changes nothing. */
    close: () => (closed ??= close()),
  }
}

/** Runs acts in transactions, and repeats an act after an error that may not come again. */
function writeOn(
  { transaction }: ReturnType<typeof createConnections>,
  know: () => Promise<void>,
  observe: Pick<StorageObserver, 'commit'>,
) {
  return async <T>(writes: number, act: (tx: Tx) => Promise<T>): Promise<T> => {
    await know()
    const startedAt = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      try {
        const value = await transaction(act)
        observe.commit(writes, performance.now() - startedAt)
        return value
      } catch (error) {
        const isPassing = isToRepeat(error) || isKeyOutdated(error)
        if (attempt === ATTEMPTS || !isPassing) throw mapDriverError(error)
        await know()
      }
    }
  }
}

function createWriteCount() {
  const writes = new Set<Promise<unknown>>()
  return {
    underWay: () => writes.size,
    /** Counts a write until it ends. Throws UNAVAILABLE when too many are under way. */
    async counted<T>(begin: () => Promise<T>): Promise<T> {
      if (writes.size >= WRITES_LIMIT) throw unavailable()
      const write = begin().finally(() => writes.delete(write))
      writes.add(write)
      return write
    },
    /** Resolves when no write is under way. */
    async ended() {
      while (writes.size > 0) await Promise.allSettled(writes)
    },
  }
}

/** Runs `act` on a connection of its own, before the database is used. */
async function prepare(url: string, act: (client: Client) => Promise<void>) {
  let client: Client | undefined
  try {
    client = await connectToPrimary(url)
    await act(client)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (isLost(error)) throw unreachable(reason(error))
    throw new OperatorError(
      `The PostgreSQL database can't be used (${reason(error)}): check HUB_DATABASE_URL, and what its user may do.`,
    )
  } finally {
    await client?.end()
  }
}

/** About as many keys are odd as even. */
function isOdd(key: string): boolean {
  let sum = 0
  for (let index = 0; index < key.length; index += 1) sum += key.charCodeAt(index)
  return sum % 2 === 1
}
