import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../../../server/storage/sqlite/storage.ts'
import { tmpfsDisk } from '../../../../../force/parts/small-disk.ts'
import { AT, createShop } from '../../../../../server/storage/shop.ts'
import { TEST_MASTER_KEY } from '../../../../../support/storage.ts'
import { storageOptions } from '../../../../../support/storage-options.ts'

it('a full disk is found while the log has room for a row', async () => {
  const disk = tmpfsDisk({ onEnd: onTestFinished })
  if ('missing' in disk) return
  const storage = openSqliteStorage(
    join(disk.dataDir, 'hub.db'),
    storageOptions({ vault: createVault(TEST_MASTER_KEY) }),
  )
  onTestFinished(() => storage.close())
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId)
  await storage.ping()

  const nobody = { pid: () => process.pid }
  disk.fill(nobody)
  await expect(storage.ping()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  await shop.pay(clientId, { receivedAt: AT })
  disk.makeRoom(nobody)
  await storage.ping()
})
