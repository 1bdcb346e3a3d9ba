import type { Vault } from '../../vault.ts'
import type { Storage } from '../storage.ts'
import { createBillRecords } from './bill-records.ts'
import { checkMasterKey } from './canary.ts'
import { createCodeRecords } from './code-records.ts'
import { openDatabase } from './database.ts'
import { createDeviceRecords } from './device-records.ts'
import { createDeviceRows } from './device-rows.ts'
import { createOutbox } from './outbox.ts'
import { createPartnerRecords } from './partner-records.ts'
import { createPaymentRecords } from './payment-records.ts'
import { createStoreRecords } from './store-records.ts'
import { createStoreRows } from './store-rows.ts'
import { createTokenRecords } from './token-records.ts'

/** Opens the storage in one SQLite file; an OperatorError when it can't be used. */
export function openSqliteStorage(file: string, vault: Vault, newId: () => string): Storage {
  const database = openDatabase(file)
  const { orm, commits } = database
  try {
    checkMasterKey(database, vault)
  } catch (error) {
    database.close()
    throw error
  }
  const storeRows = createStoreRows(orm, vault)
  const deviceRows = createDeviceRows(orm, storeRows)
  return {
    partners: createPartnerRecords(database, vault, newId),
    tokens: createTokenRecords(database),
    devices: createDeviceRecords(database, vault, deviceRows, storeRows),
    codes: createCodeRecords(database),
    stores: createStoreRecords(database, storeRows),
    bills: createBillRecords(database, deviceRows, storeRows),
    payments: createPaymentRecords(database, vault, deviceRows, storeRows),
    outbox: createOutbox(database),
    foreignVersion: database.foreignVersion,
    ping: () => commits.write(() => undefined),
    close() {
      commits.flush()
      database.close()
    },
  }
}
