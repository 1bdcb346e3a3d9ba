import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Progress } from '../../../../server/webhooks/ports.ts'
import { type Delivery, ONLY_FAILURES_MS } from '../../../../server/webhooks/webhook.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import {
  attemptAt,
  deliveryOf,
  feedsOf,
  pending,
  progressOf,
  secretOf,
  statesOf,
  webhookOf,
  webhookWorld,
} from '../webhook-world.ts'

const HOUR_MS = 60 * 60_000

export function webhookQueueContract(open: OpenStorage) {
  it('stores results and feeds in one commit, and each again', async () => {
    const { storage, reopen, happen, add } = await webhookWorld(open)
    await add()
    const seqs = await happen(3)
    const [first = 0, second = 0, third = 0] = seqs
    const { webhookQueue } = storage
    const deliveries = [deliveryOf('wh_1', first), deliveryOf('wh_1', third, pending(AT + 2))]
    const progress = progressOf('wh_1', { deliveries, feeds: [{ number: 0, after: first }] })
    await webhookQueue.store([progress], AT + 3)
    const again = await reopen()
    expect(await feedsOf(again)).toMatchObject([{ after: first }])
    expect(await again.webhookQueue.begun('wh_1', seqs)).toEqual(new Set([first, third]))
    const { rows, next } = await again.webhooks.deliveries('wh_1', { state: undefined }, { limit: 10 })
    expect(rows.map(({ cursor, ...delivery }) => delivery)).toEqual(deliveries.toReversed())
    expect(next).toBeUndefined()

    const done = [
      deliveryOf('wh_1', third, { step: 2, attempts: [attemptAt(AT + 2), attemptAt(AT + 6_000)] }),
    ]
    const feeds = [{ number: 0, after: third }]
    await again.webhookQueue.store(
      [progressOf('wh_1', { deliveries: [...done, deliveryOf('wh_1', second)], feeds })],
      AT + 6_012,
    )
    expect(await statesOf(again)).toEqual([
      [third, 'delivered', 2],
      [second, 'delivered', 1],
      [first, 'delivered', 1],
    ])
    expect(await feedsOf(again)).toMatchObject([{ after: third }])
  })

  it('stores a feed only with the deliveries that it has passed', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    await add()
    const [first = 0, second = 0] = await happen(2)
    const { webhookQueue } = storage
    const feeds = [{ number: 0, after: second }]
    // Pending, and never due.
    const bad = deliveryOf('wh_1', second, { state: 'pending' })
    const stored = (last: Delivery) =>
      webhookQueue.store([progressOf('wh_1', { deliveries: [deliveryOf('wh_1', first), last], feeds })], AT)
    await expect(stored(bad)).rejects.toThrow()
    expect(await feedsOf(storage)).toMatchObject([{ after: 0 }])
    expect(await webhookQueue.begun('wh_1', [first, second])).toEqual(new Set())
    await stored(deliveryOf('wh_1', second))
    expect(await feedsOf(storage)).toMatchObject([{ after: second }])
  })

  it('stores the attempts of many webhooks', async () => {
    const { storage, shop } = await webhookWorld(open)
    const ids = Array.from({ length: 120 }, (_, n) => `wh_${n}`)
    for (const [n, id] of ids.entries()) {
      const clientId = n % 10 === 0 ? await shop.partner(`sbc_of_${n / 10}`) : `sbc_of_${Math.floor(n / 10)}`
      await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, id), secretOf(id))
    }
    const all = ids.map((id) =>
      progressOf(id, { deliveries: [deliveryOf(id, 7)], feeds: [{ number: 0, after: 7 }] }),
    )
    await storage.webhookQueue.store(all, AT)
    const sending = await storage.webhookQueue.sending()
    expect(sending.map(({ feeds, lastDeliveredAt }) => [feeds[0]?.after, lastDeliveredAt])).toEqual(
      ids.map(() => [7, AT + 1]),
    )
    await storage.webhookQueue.store([], AT)
  })

  it('tells what is due, by webhook and by time', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    await add()
    await add('wh_2')
    const [first = 0, second = 0, third = 0] = await happen(3)
    const { webhookQueue } = storage
    await webhookQueue.store(
      [
        progressOf('wh_1', {
          deliveries: [
            deliveryOf('wh_1', first, pending(AT + 20)),
            deliveryOf('wh_1', second, pending(AT + 10)),
            deliveryOf('wh_1', third, { state: 'failed', step: 11 }),
          ],
        }),
        progressOf('wh_2', { deliveries: [deliveryOf('wh_2', first)] }),
      ],
      AT + 21,
    )
    const due = async (at: number, limit = 10) =>
      (await webhookQueue.due('wh_1', at, limit)).map(({ seq }) => seq)
    expect(await due(AT + 5_009)).toEqual([])
    expect(await due(AT + 5_010)).toEqual([second])
    expect(await due(AT + 5_020)).toEqual([second, first])
    expect(await due(AT + 5_020, 1)).toEqual([second])
    expect(await webhookQueue.due('wh_2', AT + HOUR_MS, 10)).toEqual([])
    expect(await webhookQueue.due('wh_1', AT + 5_010, 1)).toEqual([
      deliveryOf('wh_1', second, pending(AT + 10)),
    ])
    expect(await webhookQueue.nextDue(['wh_1', 'wh_2', 'wh_none'])).toEqual(new Map([['wh_1', AT + 5_010]]))
  })

  it('moves no feed backwards, and none under types of before', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add('wh_1', { types: ['bill.paid'] })
    const [first = 0, second = 0] = await happen(2)
    const { webhooks, webhookQueue } = storage
    const moveTo = (after: number, revision = 0) =>
      webhookQueue.store([progressOf('wh_1', { revision, feeds: [{ number: 0, after }] })], AT)
    await moveTo(second)
    await moveTo(first)
    expect(await feedsOf(storage)).toMatchObject([{ after: second }])
    await webhooks.change(byPartner(clientId), 'wh_1', { types: ['webhook.test'] }, AT)
    const [third = 0] = await happen(1)
    // A hub that has not seen the change has left the test out. What it has sent is kept.
    await webhookQueue.store(
      [
        progressOf('wh_1', {
          deliveries: [deliveryOf('wh_1', second)],
          feeds: [{ number: 0, after: third }],
        }),
      ],
      AT,
    )
    expect(await feedsOf(storage)).toMatchObject([{ after: second }])
    expect(await statesOf(storage)).toEqual([[second, 'delivered', 1]])
    await moveTo(third, 1)
    expect(await feedsOf(storage)).toMatchObject([{ after: third }])
  })

  it('sends nothing to a disabled webhook or partner, and goes on where it stopped', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [first = 0] = await happen(1)
    const { webhooks, webhookQueue, partners } = storage
    const failed = [deliveryOf('wh_1', first, pending(AT + 1))]
    const feeds = [{ number: 0, after: first }]
    await webhookQueue.store(
      [progressOf('wh_1', { deliveries: failed, feeds, failingSince: AT + 1 })],
      AT + 2,
    )
    expect(await webhooks.find(clientId, 'wh_1')).toMatchObject({ failingSince: AT + 1 })
    expect(await webhookQueue.counts()).toEqual({
      ...{ enabled: 1, failing: 1, pending: 1 },
      disabled: { partner: 0, gone: 0, failing: 0 },
    })
    await partners.disable(OPERATOR, clientId, AT)
    expect(await webhookQueue.sending()).toEqual([])
    await partners.enable(OPERATOR, clientId, AT)
    expect(await feedsOf(storage)).toMatchObject([{ after: first }])

    const disabled = await webhooks.change(byPartner(clientId), 'wh_1', { state: 'disabled' }, AT + 3)
    expect(disabled).toMatchObject({ state: 'disabled', disabledReason: undefined })
    expect(await webhookQueue.sending()).toEqual([])
    expect(await webhookQueue.counts()).toMatchObject({ enabled: 0, failing: 0, disabled: { partner: 1 } })
    const enabled = await webhooks.change(byPartner(clientId), 'wh_1', { state: 'enabled' }, AT + 4)
    expect(enabled).toMatchObject({ state: 'enabled', failingSince: undefined })
    expect(await feedsOf(storage)).toMatchObject([{ after: first }])
    // What made it fail may be mended: it is due at once.
    const due = await webhookQueue.due('wh_1', AT + 4, 10)
    expect(due).toEqual(failed.map((one) => ({ ...one, nextAt: AT + 4 })))
  })

  it('has what is pending due at once after another URL, and after no other change', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    await add('wh_2')
    const [seq = 0, next = 0] = await happen(2)
    const { webhooks, webhookQueue } = storage
    const failed = ['wh_1', 'wh_2'].map((id) =>
      progressOf(id, { deliveries: [deliveryOf(id, seq, pending(AT + 1))] }),
    )
    await webhookQueue.store(failed, AT)
    const dueAt = async () => [...(await webhookQueue.nextDue(['wh_1', 'wh_2'])).values()]
    const { url } = webhookOf(clientId, 'wh_1')
    await webhooks.change(
      byPartner(clientId),
      'wh_1',
      { url, description: 'Till 1', types: ['bill.paid'] },
      AT + 1,
    )
    await webhooks.rotate(byPartner(clientId), 'wh_1', secretOf('second'), AT + 2, AT + HOUR_MS)
    expect(await dueAt()).toEqual([AT + 5_001, AT + 5_001])
    await webhooks.change(byPartner(clientId), 'wh_1', { url: 'https://other.example/' }, AT + 3)
    expect(await dueAt()).toEqual([AT + 3, AT + 5_001])
    // An attempt that was under way at the change, and has failed after it.
    await webhookQueue.store(failed, AT + 4)
    expect(await dueAt()).toEqual([AT + 3, AT + 5_001])
    // One of the changed webhook, under a clock that was set back: it waits for its own time.
    const deliveries = [deliveryOf('wh_1', next, pending(AT + 2))]
    await webhookQueue.store([progressOf('wh_1', { revision: 3, deliveries })], AT + 5)
    expect((await webhookQueue.due('wh_1', AT + 9, 10)).map((one) => one.seq)).toEqual([seq])
  })

  it('disables one that is gone or has only failed, but not for failures from before it was enabled', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [seq = 0] = await happen(1)
    const { webhooks, webhookQueue } = storage
    const find = () => webhooks.find(clientId, 'wh_1')
    const fail = (at: number, more: Partial<Progress>) =>
      webhookQueue.store(
        [progressOf('wh_1', { deliveries: [deliveryOf('wh_1', seq, pending(at))], ...more })],
        at,
      )
    const end = AT + 1 + ONLY_FAILURES_MS
    await fail(AT + 1, { failingSince: AT + 1 })
    await fail(end, { failingSince: AT + 1, disabled: 'failing' })
    expect(await find()).toMatchObject({ state: 'disabled', disabledReason: 'failing', failingSince: AT + 1 })
    expect(await webhookQueue.counts()).toMatchObject({ enabled: 0, disabled: { failing: 1 } })
    await webhooks.change(byPartner(clientId), 'wh_1', { state: 'enabled' }, end + 1)
    expect(await find()).toEqual(webhookOf(clientId, 'wh_1'))

    // An attempt from before, and one of a hub that still counts the failures from before.
    await fail(end, { failingSince: AT + 1, disabled: 'gone' })
    expect(await find()).toEqual(webhookOf(clientId, 'wh_1'))
    await fail(end + 2, { failingSince: AT + 1, disabled: 'failing' })
    expect(await find()).toMatchObject({ state: 'enabled', failingSince: end + 1 })
    await fail(end + 3, { failingSince: end + 1, disabled: 'gone' })
    expect(await find()).toMatchObject({ state: 'disabled', disabledReason: 'gone' })
    const disables = (await storage.audit.list({ limit: 10, action: 'webhook.disable' })).reverse()
    expect(disables.map(({ actor, subject, details }) => [actor, subject, details])).toEqual([
      ['hub', 'wh_1', { clientId, reason: 'failing' }],
      ['hub', 'wh_1', { clientId, reason: 'gone' }],
    ])
  })

  it('forgets a success for no failure that is stored late', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [seq = 0] = await happen(1)
    const { webhooks, webhookQueue } = storage
    const good = AT + 2 * ONLY_FAILURES_MS
    const success = deliveryOf('wh_1', seq, { attempts: [attemptAt(good)] })
    await webhookQueue.store([progressOf('wh_1', { deliveries: [success], lastDeliveredAt: good })], good)
    const late = progressOf('wh_1', {
      deliveries: [deliveryOf('wh_1', seq + 1, pending(good - 1))],
      ...{ failingSince: AT, lastDeliveredAt: AT, disabled: 'failing' },
    })
    await webhookQueue.store([late], good + 1)
    expect(await webhooks.find(clientId, 'wh_1')).toEqual(
      webhookOf(clientId, 'wh_1', { lastDeliveredAt: good }),
    )
  })
}
