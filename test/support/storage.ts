import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createRandomIds } from '../../server/ids.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import type { Storage } from '../../server/storage/storage.ts'
import { createVault, type Vault } from '../../server/vault.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'

export const TEST_MASTER_KEY = Buffer.alloc(32, 7)

/** An empty storage in a file of its own; `reopen` closes it and opens the same file again. */
export function openTestStorage(onEnd: OnEnd = onTestFinished): {
  storage: Storage
  vault: Vault
  file: string
  reopen: () => Storage
} {
  const file = join(temporaryFolder(onEnd), 'hub.db')
  const vault = createVault(TEST_MASTER_KEY)
  const ids = createRandomIds()
  let storage = openSqliteStorage(file, vault, ids.uuid)
  onEnd(() => storage.close())
  const reopen = () => {
    storage.close()
    storage = openSqliteStorage(file, vault, ids.uuid)
    return storage
  }
  return { storage, vault, file, reopen }
}
