import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../security/vault.ts'
import { createAuditRecords } from '../acts/audit-records.ts'
import { createBillRecords } from '../acts/bill-records.ts'
import { createCodeRecords } from '../acts/devices/code-records.ts'
import { createDeviceRecords } from '../acts/devices/device-records.ts'
import { createHealthRecords } from '../acts/devices/health-records.ts'
import { createMaintenanceRecords } from '../acts/devices/maintenance-records.ts'
import { createMissedMarks } from '../acts/devices/missed-marks.ts'
import { createSettingsRecords } from '../acts/devices/settings-records.ts'
import { createIdempotencyRecords } from '../acts/idempotency-records.ts'
import { createAnnouncementLists } from '../acts/lists/announcement-lists.ts'
import { createDeviceLists } from '../acts/lists/device-lists.ts'
import { createEventLog } from '../acts/lists/event-log.ts'
import { createPaymentLists } from '../acts/lists/payment-lists.ts'
import { createStoreLists } from '../acts/lists/store-lists.ts'
import { createPartnerRecords } from '../acts/partner-records.ts'
import { createPaymentRecords } from '../acts/payments/payment-records.ts'
import { createRetention } from '../acts/retention/retention.ts'
import { createStoreRecords } from '../acts/store-records.ts'
import { createTokenRecords } from '../acts/token-records.ts'
import { createQueueReads } from '../acts/webhooks/queue-reads.ts'
import { createWebhookRecords } from '../acts/webhooks/records.ts'
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
import { createOutbox } from './acts/outbox/outbox.ts'
import { createRecordPayment } from './acts/record-payment.ts'
import { createWebhookQueue } from './acts/webhooks/queue.ts'
import { createActEngine } from './engine/act-engine.ts'
import { createChanges } from './engine/changes.ts'
import { lookIntoDatabase, openDatabase, type PostgresDatabase } from './engine/database.ts'
import { DELETED_PAYMENTS } from './rows/deleted-payments.ts'
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
  const marks = createMissedMarks(engine)
  const readCredentials = createReadCredentials(database)
  return {
    partners: createPartnerRecords(engine, rules, ids.uuid),
    tokens: createTokenRecords(engine, rules),
    devices: createDeviceRecords(engine, rules, { ...marks, readCredentials }, observe),
    maintenance: createMaintenanceRecords(engine),
    health: createHealthRecords(engine, rules),
    codes: createCodeRecords(engine, rules),
    settings: createSettingsRecords(engine, rules),
    stores: createStoreRecords(engine),
    bills: createBillRecords(engine),
    payments: createPaymentRecords(engine, rules, createRecordPayment(database, rules, observe)),
    outbox: createOutbox(database, marks, rules, observe, hub),
    events: createEventLog(engine, rules, createNumberEvents(database)),
    webhooks: createWebhookRecords(engine, rules),
    webhookQueue: createWebhookQueue(database, createQueueReads(engine), rules),
    idempotency: createIdempotencyRecords(engine),
    retention: createRetention(engine, DELETED_PAYMENTS),
    audit: createAuditRecords(engine),
    lists: {
      announcements: createAnnouncementLists(engine, rules),
      devices: createDeviceLists(engine),
      payments: createPaymentLists(engine, rules, PAYMENT_SEARCH),
      stores: createStoreLists(engine, rules),
    },
  }
}
