import { expect, it } from 'vitest'
import { changeWebhook, type WebhookChange } from '../../../server/webhooks/change-webhook.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'
import { URL, webhookWorld } from '../http/endpoints/webhook-world.ts'

it('stores and tells only what changes something', async () => {
  const { add, webhook, change } = createMemoryQueue()
  const { url } = add('wh_1', { types: ['bill.paid'], description: 'one' })
  const stored: WebhookChange[] = []
  const verb = changeWebhook({
    webhooks: {
      find: async (_, id) => webhook(id),
      async change(_, id, asked) {
        stored.push(asked)
        return webhook(id)
      },
    },
    acceptUrl: async (_, text) => text,
    clock: { now: () => 0 },
  })
  const ask = (asked: WebhookChange) => verb(CLIENT, 'wh_1', asked, () => undefined)
  const same: WebhookChange = { url, types: ['bill.paid'], description: 'one', state: 'enabled' }
  expect(await ask(same)).toEqual(webhook('wh_1'))
  expect(stored).toEqual([])
  const others: WebhookChange[] = [
    ...[{ url: `${url}more` }, { types: undefined }, { types: ['bill.paid', 'webhook.test'] } as const],
    ...[{ description: '' }, { state: 'disabled' } as const],
  ]
  for (const other of others) await ask(other)
  expect(stored).toEqual(others)
  // To enable a webhook that fails ends the count of its failures.
  change('wh_1', { failingSince: 1 })
  await ask({ state: 'enabled' })
  expect(stored).toHaveLength(others.length + 1)
})

it('leaves the revision and the audit as they are when nothing changes', async () => {
  const { api, partner, created, sending } = await webhookWorld()
  const types = ['bill.paid', 'webhook.test']
  const id = await created({ types, description: 'one' })
  const audit = () => api.storage.audit.list({ limit: 1_000 })
  const before = [await sending(id), await audit()]
  const same = [{ url: URL }, { types }, { description: 'one' }, { state: 'enabled' }]
  for (const body of [...same, Object.assign({}, ...same)])
    expect(await partner.call('PATCH', `/webhook/${id}`, body)).toMatchObject({
      ...{ status: 200, body: { id, url: URL, types, description: 'one', state: 'enabled' } },
    })
  expect([await sending(id), await audit()]).toEqual(before)
  await partner.call('PATCH', `/webhook/${id}`, { types: null })
  expect(await sending(id)).toMatchObject({ types: undefined, revision: 1 })
})
