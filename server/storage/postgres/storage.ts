import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../security/vault.ts'
import { createMissedMarks } from '../acts/devices/missed-marks.ts'
import { type EngineActs, portsOf } from '../acts/ports/ports.ts'
import type { StorageCircuit } from '../circuit.ts'
import {
  type Storage,
  type StorageIds,
  type StorageObserver,
  type StoragePorts,
  UNOBSERVED,
} from '../ports.ts'
import type { StorageRules } from '../rules.ts'
import { createReadCredentials } from './acts/credentials.ts'
import { createNumberEvents } from './acts/event-numbers.ts'
import { ANNOUNCEMENT_MOVES } from './acts/moves.ts'
import { createRecordPayment } from './acts/record-payment.ts'
import { createActEngine } from './engine/act-engine.ts'
import { createChanges } from './engine/changes.ts'
import { lookIntoDatabase, openDatabase, type PostgresDatabase } from './engine/database.ts'
import { DELETED_PAYMENTS } from './rows/deleted-payments.ts'
import { createDeviceStates } from './rows/device-states.ts'
import { PAYMENT_SEARCH } from './rows/payment-search.ts'

export interface PostgresOptions {
  vault: Vault
  ids: StorageIds
  clock: Pick<Clock, 'after'>
  rules: StorageRules
  observe?: StorageObserver
  /** Without it, acts wait for as long as the server takes. */
  circuit?: StorageCircuit
  /** The id of this start of the hub, which owns devices with it. Undefined when it is the only hub, or a command. */
  hub?: string
  /** The system user whose command this storage carries out, for the audit. Undefined in the hub. */
  operator?: string
}

/**
 * Opens the storage in a PostgreSQL database, which other hubs may share. Throws Unreachable when no server answers, and
 * another OperatorError when the database can't be used.
 */
export async function openPostgresStorage(url: string, options: PostgresOptions): Promise<Storage> {
  const { vault, observe, operator, circuit } = options
  const database = await openDatabase(url, vault, observe, operator, circuit)
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
  const database = await lookIntoDatabase(url, options.vault)
  return storageOn(database, options)
}

async function storageOn(database: PostgresDatabase, options: PostgresOptions): Promise<Storage> {
  const { revisions } = database
  return {
    ...createPorts(database, options),
    changes: createChanges(revisions, await revisions.all(), options.clock),
    writesWaiting: database.writesWaiting,
    async ping() {
      await database.askForKey()
      await database.writeAlone('ping', 'UPDATE vault_canary SET id = 1')
    },
    close: database.close,
  }
}

function createPorts(
  database: PostgresDatabase,
  { ids, rules, observe = UNOBSERVED, hub }: PostgresOptions,
): StoragePorts {
  const engine = createActEngine(database)
  const states = createDeviceStates(hub)
  const own: EngineActs = {
    states,
    announcements: ANNOUNCEMENT_MOVES,
    readCredentials: createReadCredentials(database),
    record: createRecordPayment(engine, states, rules, observe),
    numberEvents: createNumberEvents(database),
    deletedPayments: DELETED_PAYMENTS,
    paymentSearch: PAYMENT_SEARCH,
  }
  return portsOf(engine, own, { ids, rules, observe })
}
