import type { Owner } from '../../announcements/ports.ts'
import { NO_CIRCUIT } from '../circuit.ts'
import type { StorageOptions } from '../options.ts'
import { UNOBSERVED } from '../ports.ts'
import { TRUST_MS, trustedFor } from '../shared/read-cache.ts'
import { createActEngine, lookAtGrants } from '../sqlite/engine/act-engine.ts'
import { openDatabaseToRead } from '../sqlite/engine/database.ts'
import { changesOf, type FileStorage, openPorts } from '../sqlite/storage.ts'
import { actsThat, type CallAct, withActsBy } from './acts.ts'
import { createWriterClient, startWriterThread, type WriterThread } from './client.ts'
import type { WriterData } from './wire.ts'

/** The acts that are called often change no grant: the cache goes on trusting its look. */
const KEEPS_GRANTS = new Set([...actsThat('payment'), ...actsThat('device')])

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
  const grants = trustedFor(TRUST_MS, lookAtGrants(database))
  const engine = createActEngine(database, vault, grants.look)
  const ports = withActsBy(
    (act, args) => (KEEPS_GRANTS.has(act) ? call(act, args) : call(act, args).finally(grants.forget)),
    openPorts(database, engine, options),
  )
  const { outbox } = ports

  /** A caller may pass its whole session, which has methods: these can't be copied to another thread. */
  const plain = ({ deviceId, sessionId }: Owner): Owner => ({ deviceId, sessionId })

  return {
    ...ports,
    outbox: {
      ...outbox,
      nextNumber: (owner) => outbox.nextNumber(plain(owner)),
      take: (owner, ...more) => outbox.take(plain(owner), ...more),
      markSent: (id, owner, at) => outbox.markSent(id, plain(owner), at),
      begin: (owner, ...more) => outbox.begin(plain(owner), ...more),
      leave: (owners) => outbox.leave(owners.map(plain)),
    },
    place: { file, masterKeys: [Uint8Array.from(masterKey)] },
    changes: changesOf(database, engine, clock),
    scrubbed: database.scrubbed,
    writesWaiting: writer.waiting,
    async ping() {
      await call('ping', [])
    },
    async close() {
      isClosing = true
      endWatch()
      await writer.close()
      database.close()
    },
  }
}
