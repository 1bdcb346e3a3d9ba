import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../../../server/security/vault.ts'
import { openThreadedStorage } from '../../../../../../server/storage/writer/storage.ts'
import { temporaryFolder } from '../../../../../support/folder.ts'
import { TEST_MASTER_KEY } from '../../../../../support/storage.ts'
import { storageOptions } from '../../../../../support/storage-options.ts'

/** Tries, as another process, to have the file alone: what a connection does as it closes, to remove the log. */
function takenAlone(file: string): string {
  const driver = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3'))
  const program = `
    import Database from ${JSON.stringify(driver.href)}
    const sqlite = new Database(${JSON.stringify(file)}, { timeout: 0 })
    sqlite.pragma('locking_mode = EXCLUSIVE')
    try {
      sqlite.pragma('schema_version')
      console.log('alone')
    } catch (error) {
      console.log(error.code)
    }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  return stdout.trim()
}

it('no other process can lock the file, or delete its log, while a storage has it open with two connections', async () => {
  const file = join(temporaryFolder(), 'hub.db')
  const options = storageOptions({ vault: createVault(TEST_MASTER_KEY) })
  const storage = await openThreadedStorage(file, TEST_MASTER_KEY, options)
  onTestFinished(() => storage.close())
  // Both connections are open: the writer has answered, and something was read.
  await storage.ping()
  expect(await storage.partners.list()).toEqual([])
  expect(takenAlone(file)).toBe('SQLITE_BUSY')
  await storage.close()
  expect(takenAlone(file)).toBe('alone')
})
