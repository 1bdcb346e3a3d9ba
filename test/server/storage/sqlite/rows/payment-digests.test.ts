import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { readPages } from '../../../../../server/platform/page.ts'
import { openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { createShop, payWell } from '../../shop.ts'

it('are written for each 512 payments, and at a start for those that have none; without them nothing is missed', async () => {
  const { storage, vault, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId)
  await Promise.all(
    Array.from({ length: 1_030 }, (_, n) =>
      payWell(shop, clientId, { ftCode: `FT${n}`, traceTransfer: `TR${n % 515}` }),
    ),
  )
  const other = new Database(file)
  onTestFinished(() => void other.close())
  const digests = () => other.prepare('SELECT segment, keys FROM payment_digests ORDER BY segment').all()
  const found = async () =>
    (
      await readPages((page) => storage.lists.payments.page({ clientId, traceTransfer: 'TR7' }, page), {
        limit: 9,
      })
    ).rows.map(({ payment }) => payment.ftCode)
  const written = digests()
  expect(written).toMatchObject([{ segment: 0 }, { segment: 1 }])
  expect((await found()).sort()).toEqual(['FT522', 'FT7'])

  other.exec('DELETE FROM payment_digests')
  expect((await found()).sort()).toEqual(['FT522', 'FT7'])
  const hub = openSqliteStorage(file, storageOptions({ vault }))
  onTestFinished(() => hub.close())
  await hub.resume()
  expect(digests()).toEqual(written)
  expect((await found()).sort()).toEqual(['FT522', 'FT7'])
})
