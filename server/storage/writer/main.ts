import { parentPort, workerData } from 'node:worker_threads'
import { quickenImports } from '../../platform/compile-cache.ts'
import type { WriterData } from './wire.ts'

/** The program of the writer's thread. */
async function main() {
  quickenImports()
  const [
    { serveWriter },
    { openSqliteStorage },
    { createVault },
    { systemClock },
    { createRandomIds },
    { hubRules },
  ] = await Promise.all([
    import('./server.ts'),
    import('../sqlite/storage.ts'),
    import('../../security/vault.ts'),
    import('../../platform/clock.ts'),
    import('../../platform/ids.ts'),
    import('../rules.ts'),
  ])
  // startWriterThread passes this data.
  const { file, masterKey } = workerData as WriterData
  const vault = createVault(Buffer.from(masterKey))
  const ids = createRandomIds()
  const options = { vault, ids, clock: systemClock, rules: hubRules(ids) }
  if (!parentPort) throw new Error('this file runs as a thread of the hub, not as a program')
  serveWriter(parentPort, (observe) => openSqliteStorage(file, { ...options, observe }))
}

await main()
