import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { storeSecrets } from '../secrets.ts'
import { createShop } from '../shop.ts'
import { storageContract } from '../storage-contract.ts'
import { sqliteTables } from '../tables.ts'
import { unboundedSteps } from './query-plans.ts'
import { watchStatements } from './watch-statements.ts'

const compiled = watchStatements()

storageContract('SQLite', async (rules) => {
  const clock = createVirtualClock()
  const { storage, file, vault, reopen } = openTestStorage(undefined, rules, clock)
  async function openOther() {
    const other = openSqliteStorage(file, storageOptions({ vault }))
    onTestFinished(() => other.close())
    return other
  }
  const passTime = () => clock.wind(1_000)
  return { storage, reopen: async () => reopen(), openOther, passTime, tables: () => sqliteTables(file) }
})

describe('the statements that the contract has run', () => {
  it('are compiled at their first use: an opening compiles few', () => {
    const before = compiled.count()
    openTestStorage()
    expect(compiled.count() - before).toBeLessThan(20)
  })

  it('are compiled once for each connection', () => {
    expect(compiled.texts().length).toBeGreaterThan(100)
    expect(compiled.repeated()).toEqual([])
  })

  it('scan and sort no table that grows', () => {
    const { file } = openTestStorage()
    expect(unboundedSteps(file, compiled.texts())).toEqual([])
  })
})

/** Everything that an eye on the disk could see. */
function bytesOf(file: string): Buffer {
  const parts = [file, `${file}-wal`].filter((part) => existsSync(part))
  return Buffer.concat(parts.map((part) => readFileSync(part)))
}

it('leaves no secret and no personal number readable in the file or its log', async () => {
  const { storage, file, reopen } = openTestStorage()
  const expectSealed = await storeSecrets(storage)
  for (const when of ['open', 'closed']) {
    expectSealed(bytesOf(file), `the ${when} file`)
    reopen()
  }
})

it('commits the waiting writes before it closes', async () => {
  const { storage, reopen } = openTestStorage()
  const shop = createShop(storage)
  const minted = shop.device('SPK-1')
  expect(await reopen().devices.list()).toMatchObject([{ serial: 'SPK-1' }])
  await minted
})

it('refuses another master key with a sentence for the operator', () => {
  const { file } = openTestStorage()
  const open = () =>
    openSqliteStorage(
      file,
      storageOptions({ vault: createVault(Buffer.alloc(32, 8)), ids: createRandomIds() }),
    )
  expect(open).toThrow(/The master key is not the one/)
})

it('tells the operator that a file can not be opened, and what to do', () => {
  const folder = temporaryFolder()
  const open = () =>
    openSqliteStorage(
      folder,
      storageOptions({ vault: createVault(Buffer.alloc(32)), ids: createRandomIds() }),
    )
  expect(open).toThrow(/can't be opened .*: make the data folder readable and writable/)
})
