import { createChanges, readRevisions } from '../acts/changes.ts'
import { createMissedMarks } from '../acts/devices/missed-marks.ts'
import { type EngineActs, portsOf } from '../acts/ports/ports.ts'
import type { StorageOptions } from '../options.ts'
import { type Storage, UNOBSERVED } from '../ports.ts'
import { createReadCredentials } from './acts/credentials.ts'
import { createNumberEvents } from './acts/event-numbers.ts'
import { createRecordPayment } from './acts/record-payment.ts'
import { createActEngine } from './engine/act-engine.ts'
import { lookIntoDatabase, openDatabase, type PostgresDatabase } from './engine/database.ts'
import { probeWrites } from './engine/probe.ts'
import { createEventPartitions } from './partitions/events.ts'
import { createPaymentPartitions } from './partitions/payments.ts'
import { DELETED_PAYMENTS } from './rows/deleted-payments.ts'
import { createDeviceStates } from './rows/device-states.ts'
import { PAYMENT_SEARCH } from './rows/payment-search.ts'

/** Each listener looks at the revisions this often. */
const LOOK_EVERY_MS = 1_000

export interface PostgresOptions extends StorageOptions {
  /** The id of this start of the hub, which owns devices with it. Undefined when it is the only hub, or a command. */
  hub?: string
}

/**
 * Opens the storage in a PostgreSQL database, which other hubs may share. Throws Unreachable when no server answers, and
 * another OperatorError when the database can't be used.
 */
export async function openPostgresStorage(url: string, options: PostgresOptions): Promise<Storage> {
  const { vault, observe, circuit } = options
  const database = await openDatabase(url, vault, observe, circuit)
  try {
    await createMissedMarks(createActEngine(database)).resume()
    return await storageOn(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** As `openPostgresStorage`, to read alone: it makes and migrates nothing, and its writes are refused. */
export async function lookIntoPostgresStorage(url: string, options: PostgresOptions): Promise<Storage> {
  const database = await lookIntoDatabase(url, options.vault, options.circuit)
  return storageOn(database, options)
}

async function storageOn(
  database: PostgresDatabase,
  { rules, ids, clock, hub, observe = UNOBSERVED }: PostgresOptions,
): Promise<Storage> {
  const engine = createActEngine(database)
  const states = createDeviceStates(hub)
  const own: EngineActs = {
    states,
    recordAck: undefined,
    readCredentials: createReadCredentials(database),
    record: createRecordPayment(engine, states, rules, observe),
    numberEvents: createNumberEvents(database),
    deletedPayments: DELETED_PAYMENTS,
    partitions: {
      prunePayments: createPaymentPartitions(engine),
      pruneEvents: createEventPartitions(engine),
    },
    paymentSearch: PAYMENT_SEARCH,
  }
  return {
    ...portsOf(engine, own, { rules, ids, observe }),
    changes: createChanges(engine, await engine.reading(readRevisions)(), clock, LOOK_EVERY_MS),
    writesWaiting: database.writesWaiting,
    async ping() {
      await database.askForKey()
      await probeWrites(database.writeAlone)
    },
    close: database.close,
  }
}
