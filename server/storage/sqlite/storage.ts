import type { Vault } from '../../security/vault.ts'
import {
  hubRules,
  type Storage,
  type StorageIds,
  type StorageObserver,
  type StoragePorts,
  type StorageRules,
  UNOBSERVED,
} from '../ports.ts'
import { createBillRecords } from './acts/bill-records.ts'
import { createCodeRecords } from './acts/code-records.ts'
import { createDeviceRecords } from './acts/device-records.ts'
import { createIdempotencyRecords } from './acts/idempotency-records.ts'
import { createOutbox } from './acts/outbox.ts'
import { createPartnerRecords } from './acts/partner-records.ts'
import { createPaymentRecords } from './acts/payment-records.ts'
import { recordPayment } from './acts/record-payment.ts'
import { createRetention } from './acts/retention.ts'
import { createSettingsRecords } from './acts/settings-records.ts'
import { createStoreRecords } from './acts/store-records.ts'
import { createTokenRecords } from './acts/token-records.ts'
import { type OpenDatabase, openDatabase } from './engine/database.ts'
import { createKeptReads, type KeptReads } from './engine/read-cache.ts'
import { createDeviceNumbers } from './rows/command-numbers.ts'
import { createDeviceRows } from './rows/device-rows.ts'
import { createTills } from './rows/store-cache.ts'
import { createStoreRows } from './rows/store-rows.ts'
import { vaultCanary } from './schema/schema.ts'

export interface StorageOptions {
  vault: Vault
  ids: StorageIds
  observe?: StorageObserver
  rules?: StorageRules
}

/** A storage in the thread that has opened it. */
export interface SqliteStorage extends Storage {
  close(): void
}

/** Opens the storage in one SQLite file; an OperatorError when it can't be used. */
export function openSqliteStorage(file: string, options: StorageOptions): SqliteStorage {
  const { vault, observe = UNOBSERVED } = options
  const database = openDatabase(file, vault, observe)
  const { orm, commits } = database
  return {
    ...createPorts(database, options, keptOf(database, 0)),
    wishes: () => database.revisions.of('wishes'),
    isScrubbed: database.isScrubbed,
    writesWaiting: commits.waiting,
    async ping() {
      // A row is written anew: an empty commit would succeed on a full disk.
      await commits.write(() => orm.update(vaultCanary).set({ id: 1 }).run())
    },
    close() {
      commits.flush()
      database.close()
    },
  }
}

/** What is kept of a database in memory; `sureForMs` is for how long it need not be looked at whether it has changed. */
export function keptOf({ revisions }: OpenDatabase, sureForMs: number): KeptReads {
  return createKeptReads({ revision: () => revisions.of('grants'), sureForMs })
}

/** The ports on one connection. */
export function createPorts(
  database: OpenDatabase,
  { vault, ids, observe = UNOBSERVED, rules = hubRules(ids) }: StorageOptions,
  kept: KeptReads,
): StoragePorts {
  const { orm } = database
  const storeRows = createStoreRows(orm, vault)
  const rows = createDeviceRows(orm, storeRows)
  const numbers = createDeviceNumbers(orm)
  const tills = createTills(database, { storeRows, rows })
  const record = recordPayment(database, vault, { tills, numbers }, rules, observe)
  return {
    partners: createPartnerRecords(database, vault, kept, ids.uuid),
    tokens: createTokenRecords(database, kept),
    devices: createDeviceRecords(database, vault, rows, storeRows, numbers, observe),
    codes: createCodeRecords(database),
    settings: createSettingsRecords(database, rules),
    stores: createStoreRecords(database, storeRows),
    bills: createBillRecords(database, vault, rows, storeRows),
    payments: createPaymentRecords(database, vault, record),
    outbox: createOutbox(database, vault, numbers, observe),
    idempotency: createIdempotencyRecords(database, vault),
    retention: createRetention(database),
  }
}
