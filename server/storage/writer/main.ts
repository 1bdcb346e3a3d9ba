import { parentPort, workerData } from 'node:worker_threads'
import { enableImportCache } from '../../platform/compile-cache.ts'
import type { WriterData } from './wire.ts'

/** The thread of the writer. */
async function main() {
  enableImportCache()
  const [{ serveWriter }, { openSqliteStorage }, { createVault }, { createRandomIds }] = await Promise.all([
    import('./server.ts'),
    import('../sqlite/storage.ts'),
    import('../../security/vault.ts'),
    import('../../platform/ids.ts'),
  ])
  // Whoever starts this file gives it these.
  const { file, masterKey } = workerData as WriterData
  const vault = createVault(Buffer.from(masterKey))
  if (!parentPort) throw new Error('the writer is a thread of the hub, not a program')
  serveWriter(parentPort, (observe) => openSqliteStorage(file, { vault, ids: createRandomIds(), observe }))
}

await main()
