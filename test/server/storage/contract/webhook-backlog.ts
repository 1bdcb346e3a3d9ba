import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { deliveryOf, feedsOf, pending, progressOf, secretOf, webhookWorld } from '../webhook-world.ts'
import { eventsOf } from './events.ts'

export function webhookBacklogContract(open: OpenStorage) {
  it('keeps when an endpoint is tried next, until the partner changes the webhook', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [seq = 0] = await happen(1)
    const { webhooks, webhookQueue } = storage
    const probeAt = async () => (await webhooks.backlog('wh_1'))?.probeAt
    const fail = () =>
      webhookQueue.store(
        [
          progressOf('wh_1', {
            deliveries: [deliveryOf('wh_1', seq, pending(AT + 1))],
            ...{ failingSince: AT + 1, probeAt: AT + 9 },
          }),
        ],
        AT + 2,
      )
    await fail()
    expect(await probeAt()).toBe(AT + 9)
    await webhooks.change(byPartner(clientId), 'wh_1', { description: 'Till 1' }, AT + 3)
    expect(await probeAt()).toBeUndefined()
    // A hub that has not seen the change.
    await fail()
    expect(await probeAt()).toBeUndefined()

    const failed = { deliveries: [deliveryOf('wh_1', seq, pending(AT + 4))], failingSince: AT + 1 }
    await webhookQueue.store([progressOf('wh_1', { ...failed, revision: 1, probeAt: AT + 9 })], AT + 4)
    expect(await probeAt()).toBe(AT + 9)
    await webhooks.rotate(byPartner(clientId), 'wh_1', secretOf('second'), AT + 5, AT + 6)
    expect(await probeAt()).toBeUndefined()
  })

  it('sends one range at a time again, beside what is new, and tells how far it is', async () => {
    const { storage, reopen, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [first = 0, second = 0, third = 0] = await happen(3)
    const { webhooks, webhookQueue } = storage
    const moveTo = (number: number, after: number, sent = 1) =>
      webhookQueue.store([progressOf('wh_1', { feeds: [{ number, after, sent }] })], AT)
    const replay = async () => (await webhooks.backlog('wh_1'))?.replay
    await moveTo(0, third)
    expect(await webhooks.backlog('wh_1')).toEqual({ after: third, probeAt: undefined, replay: undefined })
    const range = { after: first - 1, upTo: third, count: 3 }
    expect(await webhooks.replayRange(OPERATOR, 'wh_1', range, AT)).toBe(true)
    expect(await webhooks.replayRange(OPERATOR, 'wh_1', { after: first, upTo: third, count: 2 }, AT)).toBe(
      false,
    )
    expect(await replay()).toEqual({ count: 3, sent: 0 })
    for (const _ of ['once', 'again']) await moveTo(1, first)
    expect(await replay()).toEqual({ count: 3, sent: 1 })
    await moveTo(1, second)
    expect(await replay()).toEqual({ count: 3, sent: 2 })
    await moveTo(1, third)
    expect(await replay()).toBeUndefined()
    expect(await webhooks.replayRange(OPERATOR, 'wh_1', range, AT)).toBe(true)
    await add('wh_2')
    expect(await webhooks.replayRange(OPERATOR, 'wh_2', range, AT)).toBe(true)
    // What is stored late of the one before moves no later one.
    await moveTo(1, second)
    expect(await feedsOf(await reopen())).toEqual([
      { number: 0, after: third, upTo: undefined },
      { number: 2, after: first - 1, upTo: third },
    ])
    const again = await reopen()
    for (const state of ['disabled', 'enabled'] as const)
      await again.webhooks.change(byPartner(clientId), 'wh_1', { state }, AT)
    expect(await feedsOf(again)).toEqual([{ number: 0, after: third, upTo: undefined }])
    expect((await again.webhooks.backlog('wh_2'))?.replay).toEqual({ count: 3, sent: 0 })
    expect(await again.webhooks.backlog('wh_none')).toBeUndefined()
  })

  it('has a test of a webhook among the events', async () => {
    const { storage, clientId } = await webhookWorld(open)
    await storage.events.addTest(clientId, 'webhook-1', AT + 1)
    const [test] = (await eventsOf(storage, clientId)).slice(-1)
    expect(test).toMatchObject({ type: 'webhook.test', at: AT + 1, data: { webhookId: 'webhook-1' } })
  })

  it('lists the events between two seqs, the newest first, and a test can be found by its id', async () => {
    const { storage, shop, clientId, happen } = await webhookWorld(open)
    const [first = 0] = await happen(1)
    for (const other of ['sbc_0', 'sbc_~']) {
      await shop.partner(other)
      for (let n = 0; n < 3; n += 1) await storage.events.addTest(other, 'wh_3', AT)
    }
    const [second = 0, third = 0] = await happen(2)
    const below = (limit: number, seq = third + 1) =>
      storage.events.outlinesBelow(clientId, { above: first, below: seq, limit })
    expect((await below(9)).map(({ seq }) => seq)).toEqual([third, second])
    expect((await below(9, third)).map(({ seq }) => seq)).toEqual([second])
    expect(await below(1)).toEqual([
      { seq: third, at: AT, type: 'webhook.test', data: { webhookId: 'wh_1' } },
    ])
    for (const at of [AT + 1, AT + 2])
      for (const other of ['sbc_0', 'sbc_~']) await storage.events.addTest(other, 'wh_3', at)
    const id = await storage.events.addTest(clientId, 'wh_2', AT + 1)
    const found = await storage.events.find(clientId, id)
    expect(found).toMatchObject({ id, type: 'webhook.test', at: AT + 1, data: { webhookId: 'wh_2' } })
    expect(found?.seq).toBeGreaterThan(third)
    expect(await storage.events.heads([clientId])).toEqual(new Map([[clientId, found?.seq]]))
  })

  it('counts what waits for an endpoint: in the log, and to be tried again', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    const [first = 0] = await happen(3)
    const held = async (types?: ['bill.paid']) => {
      const after = (await storage.webhooks.backlog('wh_1'))?.after ?? 0
      return storage.webhooks.held({ id: 'wh_1', clientId, types }, after)
    }
    expect(await held()).toEqual({ count: 3, isMore: false })
    expect(await held(['bill.paid'])).toEqual({ count: 0, isMore: false })
    const deliveries = [deliveryOf('wh_1', first, pending(AT))]
    await storage.webhookQueue.store(
      [progressOf('wh_1', { deliveries, feeds: [{ number: 0, after: first }] })],
      AT,
    )
    expect(await held()).toEqual({ count: 3, isMore: false })
    expect(await held(['bill.paid'])).toEqual({ count: 1, isMore: false })
  })
}
