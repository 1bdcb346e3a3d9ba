import { expect, it } from 'vitest'
import { reportWebhooks } from '../../../../server/operate/cli/doctor-webhooks.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { DisabledReason } from '../../../../server/webhooks/webhook.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { AT, createShop } from '../../storage/shop.ts'
import { deliveryOf, pending, progressOf, secretOf, webhookOf } from '../../storage/webhook-world.ts'

it('names the webhooks that fail or that the hub has disabled, with their partner and no secret', async () => {
  const { storage } = openTestStorage()
  const clientId = await createShop(storage).partner('sbc_1')
  const { webhooks, webhookQueue, events } = storage
  expect(await reportWebhooks(storage)).toMatch(/^0 enabled, 0 of them failing, 0 disabled/)
  for (const id of ['wh_1', 'wh_2', 'wh_3', 'wh_4'])
    await webhooks.add(byPartner(clientId), webhookOf(clientId, id), secretOf(id))
  expect(await reportWebhooks(storage)).toBe(
    '4 enabled, 0 of them failing, 0 disabled by the hub; 0 deliveries are tried again',
  )
  await events.addTest(clientId, 'wh_1', AT)
  const seq = (await events.heads([clientId])).get(clientId) ?? 0
  const fails = (id: string, disabled: DisabledReason | undefined, failingSince = AT) =>
    progressOf(id, { deliveries: [deliveryOf(id, seq, pending(AT + 1))], failingSince, disabled })
  await webhookQueue.store([fails('wh_2', undefined), fails('wh_3', 'gone')], AT + 1)
  const report = await reportWebhooks(storage)
  expect(report.split('; ')).toEqual([
    '3 enabled, 1 of them failing, 1 disabled by the hub',
    expect.stringMatching(/^\d deliveries are tried again$/),
    expect.stringMatching(/ \(sbc_1\) wh_3 is disabled: its endpoint answered 410$/),
    expect.stringMatching(/ \(sbc_1\) wh_2 fails since 2026-/),
  ])
  expect(report).not.toContain('whsec_')
  expect(report).not.toContain('example')
})
