import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../server/platform/clock.ts'
import { createVault, type Vault } from '../../server/security/vault.ts'
import type { StorageRules } from '../../server/storage/ports.ts'
import { openSqliteStorage, type SqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'
import { storageOptions } from './storage-options.ts'

export const TEST_MASTER_KEY = Buffer.alloc(32, 7)

/** The bytes of a database that was just made; migrations take longer than what most tests do with it. */
let empty: Buffer | undefined

/** Puts a database where there is none yet: as the hub makes it under the tests' master key at its first start. */
export function layDatabase(file: string, onEnd: OnEnd = onTestFinished) {
  empty ??= makeDatabase(join(temporaryFolder(onEnd), 'hub.db'))
  writeFileSync(file, empty, { mode: 0o600, flag: 'wx' })
}

function makeDatabase(file: string): Buffer {
  openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY) })).close()
  return readFileSync(file)
}

/** An empty storage in a file of its own; `reopen` closes it and opens the same file again. */
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
