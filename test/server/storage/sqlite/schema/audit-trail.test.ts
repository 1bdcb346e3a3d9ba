import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { type Actor, byPartner, HUB } from '../../../../../server/security/actor.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import { backUp } from '../../../../../server/storage/sqlite/file/backup.ts'
import { restore } from '../../../../../server/storage/sqlite/file/restore.ts'
import { rotateMasterKey } from '../../../../../server/storage/sqlite/file/rotate-key.ts'
import { openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { openTestStorage, TEST_MASTER_KEY, testMasterKey } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, createShop } from '../../shop.ts'
import { makePreviousDatabase } from './previous-schema.ts'

async function world() {
  const { storage, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const sqlite = new Database(file)
  onTestFinished(() => void sqlite.close())
  return { storage, shop, clientId, sqlite }
}

it('refuses to change a row, but for the count of what comes in numbers', async () => {
  const { sqlite } = await world()
  for (const change of ["actor = 'x'", 'at = 1', "action = 'token.start'", "details = '{}'"])
    expect(() => sqlite.exec(`UPDATE audit SET ${change}`)).toThrow('an audit row never changes')
})

it('makes no change without its row: both are one commit', async () => {
  const { storage, shop, clientId, sqlite } = await world()
  const speaker = await shop.speaker(clientId)
  sqlite.exec("CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END")
  const { partners, devices, stores } = storage
  const { serial, storeId } = speaker
  const before = await devices.findFor(clientId, serial)
  await expect(shop.partner('sbc_2')).rejects.toThrow()
  await expect(partners.disable(OPERATOR, clientId, AT)).rejects.toThrow()
  await expect(devices.setActive(byPartner(clientId), serial, false, AT)).rejects.toThrow()
  await expect(devices.unregister(byPartner(clientId), serial, AT)).rejects.toThrow()
  await expect(stores.update(byPartner(clientId), storeId, { storeName: 'X' }, AT)).rejects.toThrow()
  expect(await partners.list()).toMatchObject([{ clientId, disabledAt: undefined }])
  expect(await devices.findFor(clientId, serial)).toEqual(before)
  expect(await shop.pay(clientId)).toMatchObject({ kind: 'recorded' })
})

it('has a row of the migration of an older database, and none of the making of a new one', async () => {
  const file = makePreviousDatabase(temporaryFolder(), 1)
  const migrated = openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY) }))
  onTestFinished(() => void migrated.close())
  const [row, ...others] = await migrated.audit.list({ limit: 10 })
  expect(others).toEqual([])
  expect(row).toMatchObject({ actor: 'hub', action: 'database.migrate', subject: '' })
  expect(row?.details.migrations).toBeGreaterThan(8)
  expect(await openTestStorage().storage.audit.list({ limit: 10 })).toEqual([])
})

it('leaves one row of a change that runs again because another of its commit fails', async () => {
  const { storage, shop, clientId } = await world()
  const results = await Promise.allSettled([
    shop.device('SPK-1'),
    shop.partner(clientId),
    shop.device('SPK-2'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = await storage.audit.list({ limit: 10 })
  expect(rows.map(({ subject }) => subject)).toEqual(['SPK-2', 'SPK-1', clientId])
})

it.each<[named: string, by: Actor, told: object]>([
  ['a command', OPERATOR, { actorKind: 'operator', actor: 'lan' }],
  [
    'the console',
    { kind: 'operator', name: 'minh', from: 'console' },
    { actor: 'minh', details: { via: 'console' } },
  ],
  ['the hub', HUB, { actorKind: 'hub', actor: 'hub' }],
])('has who did it of a backup, a restore and a rotation by %s', async (_, by, told) => {
  const { file, vault } = openTestStorage()
  const folder = temporaryFolder()
  const [backup, database] = [join(folder, 'backup.db'), join(folder, 'hub.db')]
  const openAt = (path: string, key: Buffer) =>
    openSqliteStorage(path, storageOptions({ vault: createVault(key) }))
  backUp(file, backup, vault, by)
  restore(database, backup, vault, { by, force: false, aside: join(folder, 'aside.db') })
  const next = testMasterKey('the next')
  const toNext = { prepare: () => createVault(next), adopt: () => undefined }
  rotateMasterKey(database, vault, toNext, by)
  const [first, second] = [openAt(file, TEST_MASTER_KEY), openAt(database, next)]
  for (const storage of [first, second]) onTestFinished(() => void storage.close())
  expect(await first.audit.list({ limit: 10 })).toMatchObject([{ ...told, action: 'database.backup' }])
  expect(await second.audit.list({ limit: 10 })).toMatchObject([
    { ...told, action: 'master-key.rotate' },
    { ...told, action: 'database.restore' },
  ])
})
