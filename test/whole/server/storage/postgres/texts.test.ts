import { describe, expect, it } from 'vitest'
import { AT, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'

const postgres = await startTestPostgres()
/** Neither is part of a text on PostgreSQL. */
const [NUL, ILL_FORMED] = ['\0', '\ud800']

describe.skipIf(!postgres)('texts that PostgreSQL does not store', () => {
  if (!postgres) return

  it('are found nowhere', async () => {
    const storage = await postgres.open(await postgres.database())
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    for (const added of [NUL, ILL_FORMED]) {
      expect(await storage.partners.find(`${clientId}${added}`)).toBeUndefined()
      expect(await shop.pay(clientId, { terminalID: `T1${added}` })).toEqual({ kind: 'store_not_found' })
    }
  })

  it('do not spoil what other devices report', async () => {
    const storage = await postgres.open(await postgres.database())
    const shop = createShop(storage)
    const [strange, usual] = [await shop.device(), await shop.device()]
    for (const fw of [NUL, ILL_FORMED]) {
      const update = { fw, state: 'failed', at: AT } as const
      await storage.health.record([
        { deviceId: strange.deviceId, update },
        { deviceId: usual.deviceId, report: { battery: 20, at: AT } },
      ])
      const updateProgress = { ...update, fw: '\ufffd' }
      expect(await storage.lists.devices.find(strange.serial, AT)).toMatchObject({ updateProgress })
      expect(await storage.lists.devices.find(usual.serial, AT)).toMatchObject({ health: { battery: 20 } })
    }
  })
})
