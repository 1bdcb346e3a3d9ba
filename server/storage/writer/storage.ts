import type { Owner } from '../../announcements/ports.ts'
import { NO_CIRCUIT } from '../circuit.ts'
import { UNOBSERVED } from '../ports.ts'
import { createChanges } from '../sqlite/engine/changes.ts'
import { openDatabaseToRead } from '../sqlite/engine/database.ts'
import { createPorts, type FileStorage, openReadCache, type StorageOptions } from '../sqlite/storage.ts'
import { createWriterClient, type WriterThread } from './client.ts'
import { startWriterThread } from './thread.ts'
import type { WriterData } from './wire.ts'

/**
 * The read cache trusts a look at the revision for this long, milliseconds. A command of another process ends 30 ms after
 * its commit (measured), so a change counts for the first request behind it.
 */
const TRUST_MS = 5

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
  const call: typeof writer.call = (act, args) =>
    isClosing ? new Promise(() => undefined) : circuit.pass(() => writer.call(act, args))
  const endWatch = circuit.watch(() => writer.call('answer', []))
  circuit.onAway(writer.refusePartners)
  const readCache = openReadCache(database, TRUST_MS)
  const reads = createPorts(database, options, readCache)
  /** As `call`, for acts that change cached reads: the next read looks at the revision again. */
  const callAndInvalidate: typeof call = (act, args) => call(act, args).finally(readCache.invalidate)

  /** A caller may pass its whole session, which has methods: these can't be copied to another thread. */
  const plain = ({ deviceId, sessionId }: Owner): Owner => ({ deviceId, sessionId })

  return {
    partners: {
      create: (...args) => callAndInvalidate('partners.create', args),
      find: reads.partners.find,
      list: reads.partners.list,
      disable: (...args) => callAndInvalidate('partners.disable', args),
      enable: (...args) => callAndInvalidate('partners.enable', args),
      rotateSecret: (...args) => callAndInvalidate('partners.rotateSecret', args),
      liveSecrets: reads.partners.liveSecrets,
    },
    tokens: {
      start: (...args) => callAndInvalidate('tokens.start', args),
      grant: reads.tokens.grant,
      judge: reads.tokens.judge,
      rotate: (...args) => callAndInvalidate('tokens.rotate', args),
    },
    devices: {
      mint: (...args) => call('devices.mint', args),
      list: reads.devices.list,
      revoke: (...args) => call('devices.revoke', args),
      credentials: reads.devices.credentials,
      revokedAmong: reads.devices.revokedAmong,
      findFor: reads.devices.findFor,
      register: (...args) => call('devices.register', args),
      unregister: (...args) => call('devices.unregister', args),
      setActive: (...args) => call('devices.setActive', args),
      askIdentify: (...args) => call('devices.askIdentify', args),
      takeIdentifyRequests: (...args) => call('devices.takeIdentifyRequests', args),
      recordIdentified: (...args) => call('devices.recordIdentified', args),
      identifiedAt: reads.devices.identifiedAt,
    },
    maintenance: {
      rotate: (...args) => call('maintenance.rotate', args),
      offer: (...args) => call('maintenance.offer', args),
      due: reads.maintenance.due,
    },
    health: {
      record: (...args) => call('health.record', args),
      toldOnline: reads.health.toldOnline,
      tellOffline: (...args) => call('health.tellOffline', args),
    },
    codes: {
      before: reads.codes.before,
      issue: (...args) => call('codes.issue', args),
    },
    settings: {
      find: reads.settings.find,
      change: (...args) => call('settings.change', args),
      report: (...args) => call('settings.report', args),
      due: reads.settings.due,
    },
    stores: {
      find: reads.stores.find,
      update: (...args) => call('stores.update', args),
    },
    bills: {
      put: (...args) => call('bills.put', args),
    },
    payments: {
      record: (...args) => call('payments.record', args),
      findByFtCode: reads.payments.findByFtCode,
    },
    outbox: {
      nextNumber: (owner) => call('outbox.nextNumber', [plain(owner)]),
      highestNumber: reads.outbox.highestNumber,
      open: reads.outbox.open,
      take: (owner, ...more) => call('outbox.take', [plain(owner), ...more]),
      markSent: (id, owner, at) => call('outbox.markSent', [id, plain(owner), at]),
      isOpen: reads.outbox.isOpen,
      recordAck: (...args) => call('outbox.recordAck', args),
      expire: (...args) => call('outbox.expire', args),
      clockSetBack: (...args) => call('outbox.clockSetBack', args),
      begin: (owner, ...more) => call('outbox.begin', [plain(owner), ...more]),
      leave: (owners) => call('outbox.leave', [owners.map(plain)]),
      owns: reads.outbox.owns,
      waiting: reads.outbox.waiting,
      missed: reads.outbox.missed,
      backlog: reads.outbox.backlog,
      markMissedShown: (...args) => call('outbox.markMissedShown', args),
      screen: reads.outbox.screen,
    },
    events: {
      page: reads.events.page,
      outlines: reads.events.outlines,
      outlinesBelow: reads.events.outlinesBelow,
      heads: reads.events.heads,
      find: reads.events.find,
      addTest: (...args) => call('events.addTest', args),
      number: reads.events.number,
    },
    webhooks: {
      add: (...args) => call('webhooks.add', args),
      list: reads.webhooks.list,
      find: reads.webhooks.find,
      change: (...args) => call('webhooks.change', args),
      remove: (...args) => call('webhooks.remove', args),
      rotate: (...args) => call('webhooks.rotate', args),
      backlog: reads.webhooks.backlog,
      deliveries: reads.webhooks.deliveries,
      replay: (...args) => call('webhooks.replay', args),
      replayRange: (...args) => call('webhooks.replayRange', args),
    },
    webhookQueue: {
      ...reads.webhookQueue,
      store: (...args) => call('webhookQueue.store', args),
    },
    idempotency: {
      find: reads.idempotency.find,
      keep: (...args) => call('idempotency.keep', args),
    },
    retention: {
      prunePayments: (...args) => call('retention.prunePayments', args),
      forgetDeleted: (...args) => call('retention.forgetDeleted', args),
      pruneEvents: (...args) => call('retention.pruneEvents', args),
      pruneCodes: (...args) => call('retention.pruneCodes', args),
      pruneTokens: (...args) => call('retention.pruneTokens', args),
      pruneIdempotencyKeys: (...args) => call('retention.pruneIdempotencyKeys', args),
      pruneAudit: (...args) => call('retention.pruneAudit', args),
      newestReceivedAt: reads.retention.newestReceivedAt,
      noteClock: (...args) => call('retention.noteClock', args),
    },
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
