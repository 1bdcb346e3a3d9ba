import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../server/platform/clock.ts'
import { createVault, type Vault } from '../../server/security/vault.ts'
import type { StorageRules } from '../../server/storage/rules.ts'
import { openSqliteStorage, type SqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'
import { storageOptions } from './storage-options.ts'

/** A master key that every test may know. The hub refuses one with a pattern. */
export const testMasterKey = (name: string) => createHash('sha256').update(name).digest()
export const TEST_MASTER_KEY = testMasterKey('the tests')

/** The bytes of an empty database. It is copied for each test, because migrations take longer than most tests. */
let empty: Buffer | undefined

/** Writes an empty database, as the hub makes it at its first start under the tests' master key. */
export function layDatabase(file: string, onEnd: OnEnd = onTestFinished) {
  empty ??= makeDatabase(join(temporaryFolder(onEnd), 'hub.db'))
  writeFileSync(file, empty, { mode: 0o600, flag: 'wx' })
}

function makeDatabase(file: string): Buffer {
  openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY) })).close()
  return readFileSync(file)
}

/** An empty storage in its own file. `reopen` closes it and opens the file again. */
export function openTestStorage(
  onEnd: OnEnd = onTestFinished,
  rules: Partial<StorageRules> = {},
  clock: Pick<Clock, 'after'> = systemClock,
): {
  storage: SqliteStorage
  vault: Vault
  file: string
  reopen: () => SqliteStorage
} {
  const file = join(temporaryFolder(onEnd), 'hub.db')
  const vault = createVault(TEST_MASTER_KEY)
  const options = storageOptions({ vault, clock })
  const open = () => openSqliteStorage(file, { ...options, rules: { ...options.rules, ...rules } })
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
