import { dirname } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { freeBytes } from '../../platform/disk.ts'
import { carryOut, type Engine } from '../acts/act.ts'
import { createChanges, readRevisions } from '../acts/changes.ts'
import { createMissedMarks } from '../acts/devices/missed-marks.ts'
import { type EngineActs, portsOf } from '../acts/ports/ports.ts'
import type { StorageOptions } from '../options.ts'
import { type Storage, type StoragePorts, UNOBSERVED } from '../ports.ts'
import { unavailable } from '../shared/storage-errors.ts'
import { createStoreMapping } from '../shared/store-mapping.ts'
import { createRecordAck } from './acts/record-ack.ts'
import { createRecordPayment } from './acts/record-payment.ts'
import { createActEngine } from './engine/act-engine.ts'
import { lookIntoDatabase, type OpenDatabase, openDatabase } from './engine/database.ts'
import { createReadCredentials } from './rows/credentials.ts'
import { createDeletedPayments } from './rows/deleted-payments.ts'
import { createDeviceStates } from './rows/device-states.ts'
import { createPaymentDigests } from './rows/payment-digests.ts'
import { createStoreCache } from './rows/stores.ts'
import { runOn } from './schema/statements.ts'

/** SQLite can't notify another process, so each listener looks at the revisions this often. A look takes some 4 µs. */
const LOOK_EVERY_MS = 500
/** With less, the disk is full: a large batch of payments would fail. */
const LEAST_FREE_BYTES = 1024 * 1024

/** A storage in a file. */
export interface FileStorage extends Storage {
  /** False while values that were replaced can still be found in the file. The next opening tries again to remove them. */
  readonly scrubbed: boolean
}

/** A storage in the thread that has opened it. */
export interface SqliteStorage extends FileStorage {
  /** Finishes what a hub that died had begun. The next hub calls it first. */
  resume(): Promise<void>
  close(): void
}

/** Opens the storage in one SQLite file. Throws an OperatorError when the file can't be used. */
export function openSqliteStorage(file: string, options: StorageOptions): SqliteStorage {
  return storageOn(openDatabase(file, options.vault, options.observe), options)
}

/** As `openSqliteStorage`, to read alone: it makes and migrates nothing, and its writes are refused. */
export function lookIntoSqliteStorage(file: string, options: StorageOptions): SqliteStorage {
  return storageOn(lookIntoDatabase(file, options.vault), options)
}

function storageOn(database: OpenDatabase, options: StorageOptions): SqliteStorage {
  const { sqlite, commits, scrubbed } = database
  const engine = createActEngine(database, options.vault)
  const digests = createPaymentDigests(sqlite)
  const touchRow = sqlite.prepare('UPDATE vault_canary SET id = 1')
  return {
    ...openPorts(database, engine, options),
    async resume() {
      const writeMissing = (below: number | undefined) => ({
        value: undefined,
        next: digests.writeMissing(below),
      })
      await Promise.all([createMissedMarks(engine).resume(), commits.writePages(undefined, writeMissing)])
    },
    changes: changesOf(database, engine, options.clock),
    scrubbed,
    writesWaiting: () => commits.waiting,
    async ping() {
      // This writes a row, because an empty commit would succeed on a full disk.
      await commits.write(() => touchRow.run())
      // The row may have fitted into a part of the log that is written again.
      if ((await freeBytes(dirname(sqlite.name))) < LEAST_FREE_BYTES)
        throw unavailable(new Error('the disk of the data folder is full'))
    },
    close() {
      commits.flush()
      database.close()
    },
  }
}

export function changesOf(
  { sqlite }: OpenDatabase,
  engine: Engine,
  clock: Pick<Clock, 'after'>,
): Storage['changes'] {
  return createChanges(engine, carryOut(readRevisions(), runOn(sqlite)), clock, LOOK_EVERY_MS)
}

/** The ports on one connection. */
export function openPorts(
  database: OpenDatabase,
  engine: Engine,
  { vault, ids, rules, observe = UNOBSERVED }: StorageOptions,
): StoragePorts {
  const { sqlite } = database
  const states = createDeviceStates(sqlite)
  const storeCache = createStoreCache(database, createStoreMapping(vault).toPaid)
  const digests = createPaymentDigests(sqlite)
  const deleted = createDeletedPayments(sqlite, vault)
  const own: EngineActs = {
    states,
    recordAck: createRecordAck(database, states, rules),
    readCredentials: createReadCredentials(database),
    record: createRecordPayment(database, vault, { storeCache, states, digests, deleted }, rules, observe),
    numberEvents: async () => 0,
    partitions: undefined,
    deletedPayments: {
      added() {
        deleted.added()
        digests.prune()
      },
      *forget() {},
    },
    paymentSearch: {
      indexed: ['ftCode'],
      choose: (filter, _, highest) => digests.chooser(filter, highest),
      // A millisecond.
      addedUp: 512,
    },
  }
  return portsOf(engine, own, { ids, rules, observe })
}
