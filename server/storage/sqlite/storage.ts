import type { PaymentDecision, PaymentRecords } from '../../payments/ports.ts'
import type { Vault } from '../../vault.ts'
import { type Storage, type StorageObserver, UNOBSERVED } from '../storage.ts'
import { createBillRecords } from './bill-records.ts'
import { createCodeRecords } from './code-records.ts'
import { openDatabase } from './database.ts'
import { createDeviceNumbers } from './device-numbers.ts'
import { createDeviceRecords } from './device-records.ts'
import { createDeviceRows } from './device-rows.ts'
import { guarded } from './guarded.ts'
import { createIdempotencyRecords } from './idempotency-records.ts'
import { createKeptReads } from './kept-reads.ts'
import { createOutbox } from './outbox.ts'
import { createPartnerRecords } from './partner-records.ts'
import { createPaymentRecords } from './payment-records.ts'
import { createRetention } from './retention.ts'
import { vaultCanary } from './schema.ts'
import { createSettingsRecords } from './settings-records.ts'
import { createStoreRecords } from './store-records.ts'
import { createStoreRows } from './store-rows.ts'
import { createTokenRecords } from './token-records.ts'

/** Opens the storage in one SQLite file; an OperatorError when it can't be used. */
export function openSqliteStorage(
  file: string,
  vault: Vault,
  newId: () => string,
  observe: StorageObserver = UNOBSERVED,
): Storage {
  const database = openDatabase(file, vault, observe)
  const { orm, commits } = database
  const kept = createKeptReads(database.foreignVersion)
  const storeRows = createStoreRows(orm, vault)
  const deviceRows = createDeviceRows(orm, storeRows)
  const numbers = createDeviceNumbers(orm)
  return {
    partners: guarded(createPartnerRecords(database, vault, kept, newId)),
    tokens: guarded(createTokenRecords(database, kept)),
    devices: guarded(createDeviceRecords(database, vault, deviceRows, storeRows, numbers, observe)),
    codes: guarded(createCodeRecords(database)),
    settings: guarded(createSettingsRecords(database)),
    stores: guarded(createStoreRecords(database, storeRows)),
    bills: guarded(createBillRecords(database, vault, deviceRows, storeRows)),
    payments: guarded(
      observed(createPaymentRecords(database, vault, deviceRows, storeRows, numbers), observe),
    ),
    outbox: guarded(createOutbox(database, vault, numbers, observe)),
    idempotency: guarded(createIdempotencyRecords(database, vault)),
    retention: guarded(createRetention(database)),
    foreignVersion: database.foreignVersion,
    isScrubbed: database.isScrubbed,
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

/** Tells the stages at which a payment's announcements begin. */
function observed(payments: PaymentRecords, { stage }: StorageObserver): PaymentRecords {
  return {
    ...payments,
    async record(payment, decide) {
      let planned: PaymentDecision['announcements'] = []
      const result = await payments.record(payment, (found) => {
        const decision = decide(found)
        planned = decision.announcements
        return decision
      })
      if (result.kind === 'recorded') for (const one of planned) stage(one.stage, 0)
      return result
    },
  }
}
