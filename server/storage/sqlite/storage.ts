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
import { createStoreMapping } from '../shared/store-mapping.ts'
import { createRecordPayment } from './acts/record-payment.ts'
import { createActEngine } from './engine/act-engine.ts'
import { createChanges } from './engine/changes.ts'
import { lookIntoDatabase, type OpenDatabase, openDatabase } from './engine/database.ts'
import { createReadCache, type ReadCache } from './engine/read-cache.ts'
import { createReadCredentials } from './rows/credentials.ts'
import { createDeletedPayments } from './rows/deleted-payments.ts'
import { createDeviceStates } from './rows/device-states.ts'
import { createMoves } from './rows/moves.ts'
import { createPaymentDigests } from './rows/payment-digests.ts'
import { createStoreCache } from './rows/store-cache.ts'
import { vaultCanary } from './schema/schema.ts'

export interface StorageOptions {
  vault: Vault
  ids: StorageIds
  clock: Pick<Clock, 'after'>
  rules: StorageRules
  observe?: StorageObserver
  /** Without it, acts wait for as long as the disk takes. A storage without a thread of its own has none. */
  circuit?: StorageCircuit
  /** The system user whose command this storage carries out, for the audit. Undefined in the hub. */
  operator?: string
}

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
  const { vault, observe, operator } = options
  return storageOn(openDatabase(file, vault, observe, operator), options)
}

/** As `openSqliteStorage`, to read alone: it makes and migrates nothing, and its writes are refused. */
export function lookIntoSqliteStorage(file: string, options: StorageOptions): SqliteStorage {
  return storageOn(lookIntoDatabase(file, options.vault), options)
}

function storageOn(database: OpenDatabase, options: StorageOptions): SqliteStorage {
  const { clock } = options
  const { orm, commits, revisions, scrubbed } = database
  const readCache = openReadCache(database, 0)
  const marks = createMissedMarks(createActEngine(database, options.vault, readCache))
  const digests = createPaymentDigests(orm)
  return {
    ...createPorts(database, options, readCache),
    async resume() {
      const writeMissing = (below: number | undefined) => ({
        value: undefined,
        next: digests.writeMissing(below),
      })
      await Promise.all([marks.resume(), commits.writePages(undefined, writeMissing)])
    },
    changes: createChanges(revisions, clock),
    scrubbed,
    writesWaiting: commits.waiting,
    async ping() {
      // This writes a row, because an empty commit would succeed on a full disk.
      await commits.write(() => orm.update(vaultCanary).set({ id: 1 }).run())
    },
    close() {
      commits.flush()
      database.close()
    },
  }
}

/** The cache of reads on one connection. It looks at the revision again when the last look is older than `trustMs`. */
export function openReadCache({ revisions }: OpenDatabase, trustMs: number): ReadCache {
  return createReadCache({ revision: () => revisions.of('grants'), trustMs })
}

/** The ports on one connection. */
export function createPorts(
  database: OpenDatabase,
  { vault, ids, rules, observe = UNOBSERVED }: StorageOptions,
  readCache: ReadCache,
): StoragePorts {
  const { orm } = database
  const states = createDeviceStates(orm)
  const storeCache = createStoreCache(database, createStoreMapping(vault).toPaid)
  const digests = createPaymentDigests(orm)
  const deleted = createDeletedPayments(orm, vault)
  const own: EngineActs = {
    states,
    announcements: createMoves(orm),
    readCredentials: createReadCredentials(orm),
    record: createRecordPayment(database, vault, { storeCache, states, digests, deleted }, rules, observe),
    numberEvents: async () => 0,
    deletedPayments: {
      *keep(payments) {
        yield* deleted.keep(payments)
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
  return portsOf(createActEngine(database, vault, readCache), own, { ids, rules, observe })
}
