import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createVault, type Vault } from '../../server/security/vault.ts'
import { hubRules, type StorageRules } from '../../server/storage/ports.ts'
import { openSqliteStorage, type SqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'

export const TEST_MASTER_KEY = Buffer.alloc(32, 7)

/** The bytes of an empty database. It is copied for each test, because migrations take longer than most tests. */
let empty: Buffer | undefined

/** Writes an empty database, as the hub makes it at its first start under the tests' master key. */
export function layDatabase(file: string, onEnd: OnEnd = onTestFinished) {
  empty ??= makeDatabase(join(temporaryFolder(onEnd), 'hub.db'))
  writeFileSync(file, empty, { mode: 0o600, flag: 'wx' })
}

function makeDatabase(file: string): Buffer {
  openSqliteStorage(file, { vault: createVault(TEST_MASTER_KEY), ids: createRandomIds() }).close()
  return readFileSync(file)
}

/** An empty storage in its own file. `reopen` closes it and opens the file again. */
export function openTestStorage(
  onEnd: OnEnd = onTestFinished,
  rules: Partial<StorageRules> = {},
): {
  storage: SqliteStorage
  vault: Vault
  file: string
  reopen: () => SqliteStorage
} {
  const file = join(temporaryFolder(onEnd), 'hub.db')
  const vault = createVault(TEST_MASTER_KEY)
  const ids = createRandomIds()
  const open = () => openSqliteStorage(file, { vault, ids, rules: { ...hubRules(ids), ...rules } })
  layDatabase(file, onEnd)
  let storage = open()
  onEnd(() => storage.close())
  const reopen = () => {
    storage.close()
    storage = open()
    return storage
  }
  return { storage, vault, file, reopen }
}
