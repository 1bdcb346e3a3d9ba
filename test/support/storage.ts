import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createRandomIds } from '../../server/ids.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import type { Storage } from '../../server/storage/storage.ts'
import { createVault, type Vault } from '../../server/vault.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'

export const TEST_MASTER_KEY = Buffer.alloc(32, 7)

/** The bytes of a database that was just made; migrations take longer than what most tests do with it. */
let empty: Buffer | undefined

/** Puts a database where there is none yet: as the hub makes it under the tests' master key at its first start. */
export function layDatabase(file: string, onEnd: OnEnd = onTestFinished) {
  empty ??= makeDatabase(join(temporaryFolder(onEnd), 'hub.db'))
  writeFileSync(file, empty, { mode: 0o600, flag: 'wx' })
}

function makeDatabase(file: string): Buffer {
  openSqliteStorage(file, createVault(TEST_MASTER_KEY), createRandomIds().uuid).close()
  return readFileSync(file)
}

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
  layDatabase(file, onEnd)
  let storage = openSqliteStorage(file, vault, ids.uuid)
  onEnd(() => storage.close())
  const reopen = () => {
    storage.close()
    storage = openSqliteStorage(file, vault, ids.uuid)
    return storage
  }
  return { storage, vault, file, reopen }
}
