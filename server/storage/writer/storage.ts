import { UNOBSERVED } from '../ports.ts'
import { createChanges } from '../sqlite/engine/changes.ts'
import { openDatabaseToRead } from '../sqlite/engine/database.ts'
import { createPorts, type FileStorage, openReadCache, type StorageOptions } from '../sqlite/storage.ts'
import { type CallAct, withWritingActs } from './acts.ts'
import { createWriterClient, type WriterThread } from './client.ts'
import { startWriterThread } from './thread.ts'
import type { WriterData } from './wire.ts'

/** The read cache trusts a look at the revision for this long, milliseconds: less than any command takes to end. */
const TRUST_MS = 1

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
  const { vault, clock, observe = UNOBSERVED } = options
  // Before the writer starts: this migrates the file, and the caller gets the error of a file that can't be opened.
  const database = openDatabaseToRead(file, vault)
  const writer = createWriterClient(start({ file, masterKey: Uint8Array.from(masterKey) }), observe)
  const readCache = openReadCache(database, TRUST_MS)
  /** After an act of these ports, the next cached read looks at the revision again. */
  const call: CallAct = (act, args) =>
    /^(partners|tokens)\./.test(act)
      ? writer.call(act, args).finally(readCache.invalidate)
      : writer.call(act, args)

  return {
    ...withWritingActs(createPorts(database, options, readCache), call),
    changes: createChanges(database.revisions, clock),
    scrubbed: database.scrubbed,
    writesWaiting: writer.waiting,
    async ping() {
      await call('ping', [])
    },
    async close() {
      await writer.close()
      database.close()
    },
  }
}
