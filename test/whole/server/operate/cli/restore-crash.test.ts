import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { backUp } from '../../../../../server/storage/sqlite/file/backup.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { openFolder, openHere } from '../../../../../server/storage/sqlite/file/open-folder.ts'
import { type RestoreStep, restore } from '../../../../../server/storage/sqlite/file/restore.ts'
import { createShop } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { killedAtFile } from '../../../../support/processes/killed-at-file.ts'
import { hubEnv } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'

const vault = createVault(TEST_MASTER_KEY)

/** A folder with one payment in its database, and a backup from before. */
async function world() {
  const path = temporaryFolder()
  const file = join(temporaryFolder(), 'hub.backup')
  const open = (left: string) =>
    openFolder({ folder: openDataFolder(left), masterKey: TEST_MASTER_KEY, ...storageOptions({}) }, openHere)
  const { storage } = await open(path)
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { storeId } = await shop.speaker(clientId)
  const { databaseFile } = openDataFolder(path)
  backUp(databaseFile, file, vault, OPERATOR)
  await shop.pay(clientId)
  storage.close()

  /** The payments in a folder that a restore has left at some point, and that it goes on working. */
  async function paymentsIn(left: string): Promise<bigint | undefined> {
    const opened = await open(left)
    const store = await opened.storage.stores.find(clientId, storeId)
    await opened.storage.ping()
    opened.storage.close()
    return store?.totalTransaction
  }
  return { path, file, databaseFile, paymentsIn }
}

it('leaves a folder that opens, wherever it crashes: with the current database until the backup has replaced it', async () => {
  const { path, file, databaseFile, paymentsIn } = await world()
  const left = new Map<RestoreStep, string>()
  const aside = join(path, 'hub.db.before')
  restore(databaseFile, file, vault, {
    by: OPERATOR,
    force: true,
    aside,
    reached(step) {
      const copy = temporaryFolder()
      cpSync(path, copy, { recursive: true })
      left.set(step, copy)
    },
  })
  expect([...left.keys()]).toEqual(['copied', 'quiet', 'kept', 'replaced'])
  for (const [step, folder] of left)
    expect(await paymentsIn(folder), step).toBe(step === 'replaced' ? 0n : 1n)
  expect(await paymentsIn(path)).toBe(0n)
  expect(readdirSync(path).sort()).toEqual(['hub.db', 'hub.db.before'])

  // The database from before is whole, and comes back the same way.
  restore(databaseFile, aside, vault, { by: OPERATOR, force: false, aside: join(path, 'hub.db.second') })
  expect(await paymentsIn(path)).toBe(1n)
})

it('replaces a database that is too damaged to be opened, and keeps the damaged file', async () => {
  const { path, file, databaseFile, paymentsIn } = await world()
  const bytes = readFileSync(databaseFile).fill(0xff, 0, 4_096)
  writeFileSync(databaseFile, bytes)
  const aside = join(path, 'hub.db.before')
  const { keptAs } = restore(databaseFile, file, vault, { by: OPERATOR, force: false, aside })
  expect(keptAs).toBe(aside)
  expect(await paymentsIn(path)).toBe(0n)
  expect(readFileSync(aside)).toEqual(bytes)
  expect(readdirSync(path).sort()).toEqual(['hub.db', 'hub.db.before'])
})

it('fills an empty folder', async () => {
  const { file, paymentsIn } = await world()
  const path = temporaryFolder()
  const { databaseFile } = openDataFolder(path)
  expect(
    restore(databaseFile, file, vault, { by: OPERATOR, force: false, aside: `${databaseFile}.before` })
      .keptAs,
  ).toBe(undefined)
  expect(await paymentsIn(path)).toBe(0n)
})

it.each([/\.part$/, /before/])('survives kill -9 as soon as there is a file %s', async (sign) => {
  const { path, file, databaseFile, paymentsIn } = await world()
  await killedAtFile(path, sign, ['restore', file, '--force'], hubEnv(path))
  expect([0n, 1n]).toContain(await paymentsIn(path))
  expect(existsSync(databaseFile)).toBe(true)

  // The next restore clears away what the killed one has left.
  restore(databaseFile, file, vault, { by: OPERATOR, force: true, aside: join(path, 'hub.db.second') })
  expect(readdirSync(path).filter((name) => name.includes('.part'))).toEqual([])
})
