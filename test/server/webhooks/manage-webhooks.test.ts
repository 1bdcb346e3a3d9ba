import { expect, it } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import type { WebhookChange } from '../../../server/webhooks/change.ts'
import { manageWebhooks } from '../../../server/webhooks/manage-webhooks.ts'
import type { WebhookRecords } from '../../../server/webhooks/ports.ts'
import { replayEvents } from '../../../server/webhooks/replay-events.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

/** The webhook `wh_1` of CLIENT, the changes of it that were stored, and of which webhooks something has changed. */
function world() {
  const { add, webhook, change, events, tell } = createMemoryQueue()
  const { url } = add('wh_1', { types: ['bill.paid'], description: 'one' })
  const stored: WebhookChange[] = []
  const seen: string[] = []
  const webhooks: WebhookRecords = {
    add: async () => true,
    list: async () => [],
    find: async (_, id) => webhook(id),
    async change(_, id, asked) {
      stored.push(asked)
      return webhook(id)
    },
    remove: async (_, id) => webhook(id) !== undefined,
    rotate: async (_, id) => (webhook(id) ? 'rotated' : 'unknown'),
    held: async () => ({ count: 0, isMore: false }),
    backlog: async () => ({ after: 0, probeAt: undefined, replay: undefined }),
    deliveries: async () => ({ rows: [], next: undefined }),
    replay: async () => undefined,
    replayRange: async () => true,
  }
  const deps = {
    webhooks,
    events: { ...events, addTest: async () => 'evt_1' },
    acceptUrl: async (_: string, text: string) => text,
    changed: (id: string) => seen.push(id),
    ids: { webhookId: () => 'wh_2', webhookSecret: () => 'whsec_' },
    clock: { now: () => 0 },
    slices: { run: <T>(_: string, slice: () => Promise<T>) => slice() },
  }
  return { url, webhook, change, tell, stored, seen, verbs: manageWebhooks(deps), replay: replayEvents(deps) }
}

it('stores and tells only what changes something', async () => {
  const { url, webhook, change, stored, seen, verbs } = world()
  const ask = (asked: WebhookChange) => verbs.changeWebhook(byPartner(CLIENT), 'wh_1', asked, () => undefined)
  const same: WebhookChange = { url, types: ['bill.paid'], description: 'one', state: 'enabled' }
  expect(await ask(same)).toEqual(webhook('wh_1'))
  expect([stored, seen]).toEqual([[], []])
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
  expect(seen).toEqual(Array(others.length + 1).fill('wh_1'))
})

it('the hub that sends is told of each webhook that has something to do', async () => {
  const { url, tell, seen, verbs, replay } = world()
  const [id, holds] = ['wh_1', () => new AbortController().signal]
  await verbs.createWebhook(CLIENT, { url, types: undefined, description: '' }, holds)
  expect(seen.splice(0)).toEqual(['wh_2'])
  for (const act of [
    () => verbs.changeWebhook(byPartner(CLIENT), id, { state: 'disabled' }, holds),
    () => verbs.rotateSecret(CLIENT, id),
    () => verbs.testWebhook(CLIENT, id),
    () => replay(byPartner(CLIENT), id, { eventId: tell().id }, holds),
    () => replay(byPartner(CLIENT), id, { since: 0, until: undefined }, holds),
    () => verbs.deleteWebhook(CLIENT, id),
  ]) {
    await act()
    expect(seen.splice(0), String(act)).toEqual([id])
  }
})

it('nothing is done for a webhook that the partner does not have', async () => {
  const { seen, stored, verbs } = world()
  const missing = { kind: 'WEBHOOK_NOT_FOUND' }
  for (const act of [
    () => verbs.getWebhook(CLIENT, 'wh_9'),
    () => verbs.changeWebhook(byPartner(CLIENT), 'wh_9', { state: 'disabled' }, () => undefined),
    () => verbs.rotateSecret(CLIENT, 'wh_9'),
    () => verbs.testWebhook(CLIENT, 'wh_9'),
    () => verbs.deleteWebhook(CLIENT, 'wh_9'),
  ])
    await expect(act(), String(act)).rejects.toMatchObject(missing)
  expect([seen, stored]).toEqual([[], []])
})
