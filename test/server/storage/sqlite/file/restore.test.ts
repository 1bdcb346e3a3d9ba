import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../../server/announcements/announcement.ts'
import { backUp } from '../../../../../server/storage/sqlite/file/backup.ts'
import { restore } from '../../../../../server/storage/sqlite/file/restore.ts'
import { openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, bornWith, createShop, owned, payWell } from '../../shop.ts'

const GIVEN_UP_AT = AT + ANNOUNCEMENT_FRESH_MS + 60_000

it('what was received before the backup counts as played only by its own number: births came since', async () => {
  const { storage, vault, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId } = await shop.speaker(clientId)
  const owner = await owned(storage, deviceId)
  const received = async (amount: string) => {
    const [one] = (await payWell(shop, clientId, { amount, ftCode: shop.ids.uuid() })).announcements
    if (!one) return expect.fail('nothing was announced')
    const { id: announcementId, n: commandNumber } = one
    await storage.outbox.markSent(announcementId, owner, AT)
    const step = { announcementId, commandNumber, deviceId, stage: 'received', reason: undefined } as const
    expect(await storage.outbox.recordAck(step, AT)).toBe('moved')
    return commandNumber
  }
  await received('1')
  const last = await received('2')
  const folder = temporaryFolder(onTestFinished)
  const backup = join(folder, 'backup.db')
  backUp(file, backup, vault, OPERATOR)
  const database = join(folder, 'hub.db')
  restore(database, backup, vault, { by: OPERATOR, force: false, aside: join(folder, 'aside.db') })

  const restored = openSqliteStorage(database, storageOptions({ vault }))
  onTestFinished(() => restored.close())
  await restored.outbox.begin(owner, GIVEN_UP_AT, { born: bornWith({ played: last }) })
  expect(await restored.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '1' })
})
