import { expect, it } from 'vitest'
import { clockConfirm, reportRetention } from '../../../../server/operate/cli/clock.ts'
import { HUB } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { createShop, payWell } from '../../storage/shop.ts'

it('says why retention waits, until an operator confirms the clock', async () => {
  const { storage } = openTestStorage()
  const clock = createVirtualClock()
  expect(await reportRetention(storage)).toBe('goes by the clock')

  await storage.retention.noteClock(HUB, 'clock.doubt', clock.now(), {
    why: 'jumped',
    jumpMs: 100 * 24 * 3_600_000,
  })
  await expect(reportRetention(storage)).rejects.toThrow(
    'Deletes nothing: the clock was set forward by 2400 hours. It goes on when the clock has been steady for 24 hours; or check the time, then run: hub clock confirm.',
  )
  await storage.retention.noteClock(HUB, 'clock.doubt', clock.now(), { why: 'start', jumpMs: -2 * 3_600_000 })
  await expect(reportRetention(storage)).rejects.toThrow(
    'at a start the clock was 2 hours behind the newest payment',
  )

  await clockConfirm({ by: OPERATOR, storage, clock })
  expect(await reportRetention(storage)).toBe('goes by the clock')
})

it('confirms payments of a time to come up to the newest, and no later one', async () => {
  const { storage } = openTestStorage()
  const clock = createVirtualClock()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId)
  const confirmedUpTo = clock.now() + 100 * 24 * 3_600_000
  await payWell(shop, clientId, { receivedAt: confirmedUpTo })
  await clockConfirm({ by: OPERATOR, storage, clock })
  expect(await storage.audit.list({ action: 'clock.', limit: 1 })).toMatchObject([
    { at: clock.now(), details: { confirmedUpTo } },
  ])
})
