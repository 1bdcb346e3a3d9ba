import type { Vault } from '../../vault.ts'
import {
  hubRules,
  type Storage,
  type StorageIds,
  type StorageObserver,
  type StoragePorts,
  type StorageRules,
  UNOBSERVED,
} from '../storage.ts'
import { createBillRecords } from './bill-records.ts'
import { createCodeRecords } from './code-records.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { createDeviceNumbers } from './device-numbers.ts'
import { createDeviceRecords } from './device-records.ts'
import { createDeviceRows } from './device-rows.ts'
import { guarded } from './guarded.ts'
import { createIdempotencyRecords } from './idempotency-records.ts'
import { createKeptReads, type KeptReads } from './kept-reads.ts'
import { createOutbox } from './outbox.ts'
import { createPartnerRecords } from './partner-records.ts'
import { createPaymentRecords } from './payment-records.ts'
import { recordPayment } from './record-payment.ts'
import { createRetention } from './retention.ts'
import { vaultCanary } from './schema.ts'
import { createSettingsRecords } from './settings-records.ts'
import { createStoreRecords } from './store-records.ts'
import { createStoreRows } from './store-rows.ts'
import { createTills } from './tills.ts'
import { createTokenRecords } from './token-records.ts'

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
    partners: guarded(createPartnerRecords(database, vault, kept, ids.uuid)),
    tokens: guarded(createTokenRecords(database, kept)),
    devices: guarded(createDeviceRecords(database, vault, rows, storeRows, numbers, observe)),
    codes: guarded(createCodeRecords(database)),
    settings: guarded(createSettingsRecords(database, rules)),
    stores: guarded(createStoreRecords(database, storeRows)),
    bills: guarded(createBillRecords(database, vault, rows, storeRows)),
    payments: guarded(createPaymentRecords(database, vault, record)),
    outbox: guarded(createOutbox(database, vault, numbers, observe)),
    idempotency: guarded(createIdempotencyRecords(database, vault)),
    retention: guarded(createRetention(database)),
  }
}
