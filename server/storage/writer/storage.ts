import { type Storage, type StoragePorts, UNOBSERVED } from '../ports.ts'
import { openDatabaseToRead } from '../sqlite/engine/database.ts'
import { createPorts, keptOf, type StorageOptions } from '../sqlite/storage.ts'
import { createRemote, type Line } from './client.ts'
import type { WriterData } from './wire.ts'
import { startWorker } from './worker.ts'

/** For how long a look at what commands have changed is good, milliseconds: less than any command takes to end. */
const SURE_FOR_MS = 1
/** The ports whose acts may change what is kept of reads in memory. */
const KEPT: readonly (keyof StoragePorts)[] = ['partners', 'tokens']

/** The methods that only read: they run in the hub's thread. All others are handed over. */
export const READS: { [P in keyof StoragePorts]: readonly (keyof StoragePorts[P] & string)[] } = {
  partners: ['find', 'list', 'liveSecrets'],
  tokens: ['grant', 'ownerOf'],
  devices: ['list', 'credentials', 'revokedAmong', 'findFor', 'identifiedAt'],
  codes: ['quota'],
  settings: ['find', 'due'],
  stores: ['find'],
  bills: [],
  payments: ['findByFtCode'],
  outbox: ['highestNumber', 'isOpen', 'open', 'missed', 'backlog', 'screen'],
  idempotency: ['find'],
  retention: [],
}

/**
 * The storage with its writes in a thread of their own: no read and no packet waits for a commit, and the processor
 * that the hub's thread does not use carries them out. Reads run here, on a connection that can't write; each sees
 * every commit that was answered before it (SQLite's snapshots in WAL mode).
 *
 * The rules and the ids are the hub's own on both sides: see main.ts.
 */
export function openThreadedStorage(
  file: string,
  masterKey: Buffer,
  options: Pick<StorageOptions, 'vault' | 'ids' | 'observe'>,
  start: (data: WriterData) => Line = startWorker,
): Storage {
  const { vault, observe = UNOBSERVED } = options
  // First, because it brings the file to its newest schema, and what is wrong with it is told from here.
  const database = openDatabaseToRead(file, vault)
  const writer = createRemote(start({ file, masterKey: Uint8Array.from(masterKey) }), observe)
  const kept = keptOf(database, SURE_FOR_MS)
  const here = createPorts(database, options, kept)

  /** A port of the same methods, of which those that write are carried out in the thread. */
  function divided<P extends keyof StoragePorts>(name: P): StoragePorts[P] {
    const reads: readonly string[] = READS[name]
    const methods = Object.keys(here[name]).filter((method) => !reads.includes(method))
    const call = (method: string, args: unknown[]) => {
      const answer = writer.call(name, method, args)
      return KEPT.includes(name) ? answer.finally(kept.lookAgain) : answer
    }
    const remote = methods.map((method) => [method, (...args: unknown[]) => call(method, args)])
    // Each is replaced by one that answers the same.
    return { ...here[name], ...(Object.fromEntries(remote) as Partial<StoragePorts[P]>) }
  }

  return {
    partners: divided('partners'),
    tokens: divided('tokens'),
    devices: divided('devices'),
    codes: divided('codes'),
    settings: divided('settings'),
    stores: divided('stores'),
    bills: divided('bills'),
    payments: divided('payments'),
    outbox: divided('outbox'),
    idempotency: divided('idempotency'),
    retention: divided('retention'),
    wishes: () => database.revisions.of('wishes'),
    isScrubbed: database.isScrubbed,
    writesWaiting: writer.waiting,
    async ping() {
      await writer.call(undefined, 'ping', [])
    },
    async close() {
      await writer.close()
      database.close()
    },
  }
}
