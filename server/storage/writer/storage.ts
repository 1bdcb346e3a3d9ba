import type { Owner } from '../../announcements/ports.ts'
import { NO_CIRCUIT } from '../circuit.ts'
import { UNOBSERVED } from '../ports.ts'
import { createChanges } from '../sqlite/engine/changes.ts'
import { openDatabaseToRead } from '../sqlite/engine/database.ts'
import { createPorts, type FileStorage, openReadCache, type StorageOptions } from '../sqlite/storage.ts'
import { actsThat, type CallAct, writingPorts } from './acts.ts'
import { createWriterClient, type WriterThread } from './client.ts'
import { startWriterThread } from './thread.ts'
import type { WriterData } from './wire.ts'

/**
 * The read cache trusts a look at the revision for this long, milliseconds. A command of another process ends 30 ms after
 * its commit (measured), so a change counts for the first request behind it.
 */
const TRUST_MS = 5

const CHANGES_GRANTS = actsThat('grants')

/**
 * A storage whose writes run in a thread of their own, so that reads and packets never wait for a commit.
 * Reads run in this thread on a read-only connection; each read sees every commit that was answered before it
 * (SQLite's snapshots in WAL mode). The writer applies the same rules: see main.ts.
 */
export async function openThreadedStorage(
  file: string,
  masterKey: Buffer,
  options: StorageOptions,
  start: (data: WriterData) => WriterThread = startWriterThread,
): Promise<FileStorage> {
  const { vault, clock, observe = UNOBSERVED, circuit = NO_CIRCUIT } = options
  // Before the writer starts: this migrates the file, and the caller gets the error of a file that can't be opened.
  const database = openDatabaseToRead(file, vault)
  const writer = createWriterClient(start({ file, masterKey: Uint8Array.from(masterKey) }), observe)
  let isClosing = false
  /**
   * Once the storage closes, the hub stops: work that is under way then hears nothing more, as from a process that has
   * ended. An error would be logged, and nobody has to act on it.
   */
  const call: CallAct = (act, args) =>
    isClosing ? new Promise(() => undefined) : circuit.pass(() => writer.call(act, args))
  const endWatch = circuit.watch(() => writer.call('answer', []))
  circuit.onAway(writer.refusePartners)
  const readCache = openReadCache(database, TRUST_MS)
  const reads = createPorts(database, options, readCache)
  const writes = writingPorts((act, args) =>
    CHANGES_GRANTS.has(act) ? call(act, args).finally(readCache.invalidate) : call(act, args),
  )

  /** A caller may pass its whole session, which has methods: these can't be copied to another thread. */
  const plain = ({ deviceId, sessionId }: Owner): Owner => ({ deviceId, sessionId })

  return {
    partners: { ...reads.partners, ...writes.partners },
    tokens: { ...reads.tokens, ...writes.tokens },
    devices: { ...reads.devices, ...writes.devices },
    maintenance: { ...reads.maintenance, ...writes.maintenance },
    health: { ...reads.health, ...writes.health },
    codes: { ...reads.codes, ...writes.codes },
    settings: { ...reads.settings, ...writes.settings },
    stores: { ...reads.stores, ...writes.stores },
    bills: writes.bills,
    payments: { ...reads.payments, ...writes.payments },
    outbox: {
      ...reads.outbox,
      ...writes.outbox,
      nextNumber: (owner) => writes.outbox.nextNumber(plain(owner)),
      take: (owner, ...more) => writes.outbox.take(plain(owner), ...more),
      markSent: (id, owner, at) => writes.outbox.markSent(id, plain(owner), at),
      begin: (owner, ...more) => writes.outbox.begin(plain(owner), ...more),
      leave: (owners) => writes.outbox.leave(owners.map(plain)),
    },
    events: { ...reads.events, ...writes.events },
    webhooks: { ...reads.webhooks, ...writes.webhooks },
    webhookQueue: { ...reads.webhookQueue, ...writes.webhookQueue },
    idempotency: { ...reads.idempotency, ...writes.idempotency },
    retention: { ...reads.retention, ...writes.retention },
    audit: reads.audit,
    lists: reads.lists,
    changes: createChanges(database.revisions, clock),
    scrubbed: database.scrubbed,
    writesWaiting: writer.waiting,
    ping: () => call('ping', []),
    async close() {
      isClosing = true
      endWatch()
      await writer.close()
      database.close()
    },
  }
}
