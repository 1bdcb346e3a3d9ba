import { expect, it, onTestFinished } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { openTestStorage } from '../../support/storage.ts'
import { AT, createShop } from '../storage/shop.ts'
import { secretOf, webhookOf } from '../storage/webhook-world.ts'

it('the hub counts the five days of a webhook that fails from the end of a doubt about its clock', async () => {
  const clock = createVirtualClock(AT)
  const { storage, vault } = openTestStorage()
  const clientId = await createShop(storage).partner()
  await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, 'wh_1'), secretOf('first'))
  await storage.events.addTest(clientId, 'wh_1', AT)
  const reply = { error: undefined, reply: '', retryAfterMs: undefined }
  const { webhooks } = createTestCore({
    ...{ storage, vault, clock },
    post: async () => ({ outcome: 'answered', status: 500, ...reply }),
    retentionWaits: () => clock.now() < AT + 30_000,
  })
  webhooks.start()
  onTestFinished(() => webhooks.stop())
  const failingSince = async () => (await storage.webhooks.find(clientId, 'wh_1'))?.failingSince ?? 0
  // The attempts come after 0, 5 and 65 s.
  await clock.wind(20_000)
  const inDoubt = await failingSince()
  expect(inDoubt).toBeGreaterThanOrEqual(AT + 5_000)
  await clock.wind(60_000)
  expect(await failingSince()).toBe(inDoubt)
})
