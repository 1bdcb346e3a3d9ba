import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../../server/platform/clock.ts'
import { createVault } from '../../../../server/security/vault.ts'
import type { StorageObserver } from '../../../../server/storage/ports.ts'
import type { StorageRules } from '../../../../server/storage/rules.ts'
import { type FileStorage, openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import type { WriterThread } from '../../../../server/storage/writer/client.ts'
import { serveWriter } from '../../../../server/storage/writer/server.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import type { WriterData } from '../../../../server/storage/writer/wire.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'

export const vault = createVault(TEST_MASTER_KEY)

/** The writer at the other end of a channel, in this thread: all that it is told and tells is copied all the same. */
export function writerHere(rules: Partial<StorageRules> = {}) {
  return ({ file, masterKey }: WriterData): WriterThread => {
    const { port1, port2 } = new MessageChannel()
    const hub = storageOptions({ vault: createVault(Buffer.from(masterKey)) })
    const options = { ...hub, rules: { ...hub.rules, ...rules } }
    serveWriter(port2, (observe) => openSqliteStorage(file, { ...options, observe }))
    return {
      postMessage: (message) => port1.postMessage(message),
      on: (event, listener) => port1.on(event, listener),
      ended: new Promise((resolve) => port1.once('close', () => resolve())),
    }
  }
}

/** Opens a file with a writer in this thread. The end of the test closes it. */
export async function open(
  file: string,
  options: { rules?: Partial<StorageRules>; observe?: StorageObserver; clock?: Pick<Clock, 'after'> } = {},
): Promise<FileStorage> {
  const { rules, ...change } = options
  const here = storageOptions({ vault, ...change })
  const storage = await openThreadedStorage(file, TEST_MASTER_KEY, here, writerHere(rules))
  onTestFinished(() => storage.close())
  return storage
}

export function newFile(): string {
  const file = join(temporaryFolder(), 'hub.db')
  layDatabase(file)
  return file
}
