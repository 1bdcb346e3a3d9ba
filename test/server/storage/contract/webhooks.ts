import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Feed } from '../../../../server/webhooks/ports.ts'
import { type Delivery, MOST_WEBHOOKS } from '../../../../server/webhooks/webhook.ts'
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
  sendingOf,
  statesOf,
  webhookOf,
  webhookWorld,
} from '../webhook-world.ts'
import { eventsOf } from './events.ts'

const HOUR_MS = 60 * 60_000

export function webhookContract(open: OpenStorage) {
  it('keeps a webhook with its secret, and shows it to its partner alone, also after reopening', async () => {
    const { storage, reopen, shop, clientId, add } = await webhookWorld(open)
    const other = await shop.partner('sbc_2')
    expect(await storage.webhookQueue.sending()).toEqual([])
    expect(await add()).toBe(true)
    const narrow = { types: ['bill.paid', 'device.online'] as const, description: 'Phở', createdAt: AT + 1 }
    expect(await add('wh_2', narrow)).toBe(true)
    const [first, second] = [webhookOf(clientId, 'wh_1'), webhookOf(clientId, 'wh_2', narrow)]
    for (const reopened of [() => storage, reopen]) {
      const { webhooks, webhookQueue } = await reopened()
      expect(await webhooks.list(clientId)).toEqual([second, first])
      expect(await webhooks.find(clientId, 'wh_2')).toEqual(second)
      expect(await webhooks.find(other, 'wh_2')).toBeUndefined()
      expect(await webhooks.list(other)).toEqual([])
      const feeds: Feed[] = [{ number: 0, after: 0, upTo: undefined }]
      for (const _ of ['opened', 'known'])
        expect(await webhookQueue.sending()).toEqual([
          { ...first, secret: secretOf('wh_1'), previous: undefined, revision: 0, feeds },
          { ...second, secret: secretOf('wh_2'), previous: undefined, revision: 0, feeds },
        ])
    }
  })

  it('adds no more than a partner may have, also when two are added at once', async () => {
    const { storage, openOther, clientId, add } = await webhookWorld(open)
    const other = await openOther()
    for (let n = 1; n < MOST_WEBHOOKS; n += 1) expect(await add(`wh_${n}`)).toBe(true)
    const added = await Promise.all(
      [storage, other, storage, other].map(({ webhooks }, n) =>
        webhooks.add(byPartner(clientId), webhookOf(clientId, `wh_at_once_${n}`), secretOf('one')),
      ),
    )
    expect(added.filter(Boolean)).toHaveLength(1)
    expect(await storage.webhooks.list(clientId)).toHaveLength(MOST_WEBHOOKS)
    // A deleted one makes room, and each partner has its own.
    expect(await storage.webhooks.remove(byPartner(clientId), 'wh_1', AT)).toBe(true)
    expect([await add('wh_new'), await add('wh_more')]).toEqual([true, false])
  })

  it('gives a webhook the events from its creation on', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    const [, last = 0] = await happen(2)
    await add()
    expect(await feedsOf(storage)).toEqual([{ number: 0, after: last, upTo: undefined }])
    await storage.retention.pruneEvents(AT + 1, '')
    await add('wh_2')
    expect(await feedsOf(storage, 'wh_2')).toEqual([{ number: 0, after: last, upTo: undefined }])
    const [next = 0] = await happen(1)
    expect(next).toBeGreaterThan(last)
  })

  it('changes what is given alone, and raises the revision', async () => {
    const { storage, clientId, add } = await webhookWorld(open)
    await add('wh_1', { types: ['bill.paid'] })
    const { webhooks } = storage
    await webhooks.change(byPartner(clientId), 'wh_1', { description: 'Till 1' }, AT + 1)
    const changed = webhookOf(clientId, 'wh_1', { types: ['bill.paid'], description: 'Till 1' })
    expect(await webhooks.find(clientId, 'wh_1')).toEqual(changed)
    const after = { ...changed, url: 'https://other.example/', types: undefined }
    expect(
      await webhooks.change(byPartner(clientId), 'wh_1', { url: after.url, types: undefined }, AT + 2),
    ).toEqual(after)
    expect(await sendingOf(storage)).toMatchObject({ ...after, revision: 2, secret: secretOf('wh_1') })
    expect(await webhooks.change(byPartner(clientId), 'wh_1', { url: after.url }, AT + 3)).toEqual(after)
    expect(await sendingOf(storage)).toMatchObject({ revision: 2 })
    expect(
      await webhooks.change(byPartner('sbc_2'), 'wh_1', { url: 'https://evil.example/' }, AT),
    ).toBeUndefined()
    expect(await webhooks.change(byPartner(clientId), 'wh_2', { description: '' }, AT)).toBeUndefined()
  })

  it('signs with the secret before as well until its end, and rotates again only then', async () => {
    const { storage, clientId, add } = await webhookWorld(open)
    await add()
    const { webhooks } = storage
    const rotate = (name: string, at: number) =>
      webhooks.rotate(byPartner(clientId), 'wh_1', secretOf(name), at, at + HOUR_MS)
    await storage.webhookQueue.sending()
    expect(await rotate('second', AT)).toBe('rotated')
    const overlap = {
      secret: secretOf('second'),
      previous: { secret: secretOf('wh_1'), until: AT + HOUR_MS },
    }
    expect(await sendingOf(storage)).toMatchObject(overlap)
    expect(await rotate('third', AT + HOUR_MS - 1)).toBe('underWay')
    expect(await sendingOf(storage)).toMatchObject(overlap)
    expect(await rotate('third', AT + HOUR_MS)).toBe('rotated')
    const previous = { secret: secretOf('second'), until: AT + 2 * HOUR_MS }
    expect(await sendingOf(storage)).toMatchObject({ secret: secretOf('third'), previous })
    expect(await webhooks.rotate(byPartner('sbc_2'), 'wh_1', secretOf('evil'), AT, AT)).toBe('unknown')
  })

  it('deletes a webhook with all that is of it, and what is stored late brings nothing back', async () => {
    const { storage, clientId, happen, add } = await webhookWorld(open)
    await add()
    await add('wh_2')
    const [seq = 0] = await happen(1)
    const { webhooks, webhookQueue, retention } = storage
    const many = Array.from({ length: 450 }, (_, n) => deliveryOf('wh_1', seq + n, pending(AT)))
    await webhookQueue.store(
      [
        progressOf('wh_1', { deliveries: many }),
        progressOf('wh_2', { deliveries: [deliveryOf('wh_2', seq)] }),
      ],
      AT,
    )
    expect(await webhooks.remove(byPartner('sbc_2'), 'wh_1', AT)).toBe(false)
    expect(await webhooks.remove(byPartner(clientId), 'wh_1', AT)).toBe(true)
    expect(await webhooks.remove(byPartner(clientId), 'wh_1', AT)).toBe(false)
    async function expectNothing() {
      expect(await webhooks.list(clientId)).toMatchObject([{ id: 'wh_2' }])
      expect(await webhooks.find(clientId, 'wh_1')).toBeUndefined()
      expect(await webhooks.change(byPartner(clientId), 'wh_1', { state: 'enabled' }, AT)).toBeUndefined()
      expect(await webhooks.rotate(byPartner(clientId), 'wh_1', secretOf('x'), AT, AT)).toBe('unknown')
      expect(await webhookQueue.sending()).toMatchObject([{ id: 'wh_2' }])
      expect(await statesOf(storage)).toEqual([])
      expect(await webhookQueue.counts()).toMatchObject({ enabled: 1, pending: 0 })
    }
    await expectNothing()
    await webhookQueue.store(
      [progressOf('wh_1', { deliveries: many, feeds: [{ number: 0, after: seq }] })],
      AT,
    )
    await webhooks.replay(OPERATOR, 'wh_1', { seq, eventId: 'evt_1', type: 'webhook.test' }, AT)
    await webhooks.replayRange(OPERATOR, 'wh_1', { after: 0, upTo: seq, count: 1 }, AT)
    await expectNothing()

    // Retention deletes the rest page by page.
    let pages = 0
    for (let after: string | undefined = ''; after !== undefined; pages += 1)
      after = (await retention.pruneEvents(AT, after)).next
    expect(pages).toBe(3)
    expect(await webhookQueue.due('wh_1', AT + HOUR_MS, 1_000)).toEqual([])
    expect(await webhookQueue.begun('wh_1', [seq])).toEqual(new Set())
    expect(await statesOf(storage, 'wh_2')).toEqual([[seq, 'delivered', 1]])
  })

  it('sends one event again from the first attempt on, whatever became of it', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    await add()
    const [first = 0, second = 0] = await happen(2)
    const { webhooks, webhookQueue } = storage
    await webhookQueue.store(
      [progressOf('wh_1', { deliveries: [deliveryOf('wh_1', first, { step: 3 })] })],
      AT,
    )
    for (const seq of [first, second, second])
      await webhooks.replay(OPERATOR, 'wh_1', { seq, eventId: `evt_${seq}`, type: 'webhook.test' }, AT + 7)
    const again = { state: 'pending', nextAt: AT + 7, step: 0 } as const
    const due = await webhookQueue.due('wh_1', AT + 7, 10)
    expect(due.toSorted((one, other) => one.seq - other.seq)).toEqual([
      deliveryOf('wh_1', first, again),
      deliveryOf('wh_1', second, { ...again, attempts: [] }),
    ])
  })

  it('sends an event again whose attempt ends after the replay was asked for', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    await add()
    const [seq = 0] = await happen(1)
    const { webhooks, webhookQueue } = storage
    const replay = (at: number) =>
      webhooks.replay(OPERATOR, 'wh_1', { seq, eventId: `evt_${seq}`, type: 'webhook.test' }, at)
    const end = (at: number) => {
      const deliveries = [deliveryOf('wh_1', seq, { attempts: [attemptAt(at)] })]
      return webhookQueue.store([progressOf('wh_1', { deliveries })], at + 20)
    }
    await replay(AT + 10)
    await end(AT + 9)
    expect(await webhookQueue.due('wh_1', AT + 10, 10)).toEqual([
      deliveryOf('wh_1', seq, { state: 'pending', nextAt: AT + 10, step: 0, attempts: [] }),
    ])
    await end(AT + 10)
    expect(await statesOf(storage)).toEqual([[seq, 'delivered', 1]])
  })

  it('lists deliveries, the newest events first, by state and by pages', async () => {
    const { storage, add } = await webhookWorld(open)
    await add()
    await add('wh_2')
    const stateOf = (seq: number) => (seq % 700 === 0 ? 'failed' : 'delivered')
    const deliveries = Array.from({ length: 2_500 }, (_, n) =>
      deliveryOf('wh_1', n + 1, { state: stateOf(n + 1) }),
    )
    const { webhooks, webhookQueue } = storage
    await webhookQueue.store(
      [
        progressOf('wh_1', { deliveries }),
        progressOf('wh_2', { deliveries: [deliveryOf('wh_2', 5, { state: 'failed' })] }),
      ],
      AT,
    )
    async function seqs(state: Delivery['state'] | undefined, limit: number) {
      const found: number[] = []
      let after: string | undefined
      do {
        const page = await webhooks.deliveries('wh_1', { state }, { limit, after })
        expect(page.rows.length).toBeLessThanOrEqual(limit)
        for (const { seq, cursor } of page.rows) expect(cursor).toBe(String(seq))
        found.push(...page.rows.map(({ seq }) => seq))
        after = page.next
      } while (after !== undefined)
      return found
    }
    expect(await seqs('failed', 2)).toEqual([2_100, 1_400, 700])
    expect(await seqs('pending', 2)).toEqual([])
    expect(await seqs(undefined, 999)).toEqual(deliveries.map(({ seq }) => seq).reverse())
    expect(await seqs('delivered', 999)).toHaveLength(2_497)
  })

  it('deletes deliveries with their events, page by page, and stores none of a deleted event', async () => {
    const { storage, happen, add } = await webhookWorld(open)
    await add()
    await add('wh_2')
    const seqs = await happen(150)
    const [young = 0] = await happen(1, AT + HOUR_MS)
    const { webhooks, webhookQueue, retention } = storage
    const deliveries = (id: string) => [...seqs, young].map((seq) => deliveryOf(id, seq, pending(AT)))
    const both = ['wh_1', 'wh_2'].map((id) => progressOf(id, { deliveries: deliveries(id) }))
    await webhookQueue.store(both, AT)
    const pages: number[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await retention.pruneEvents(AT + 1, after)
      pages.push(page.deleted)
      after = page.next
      // Whatever is due can be read.
      const [due] = await webhookQueue.due('wh_2', AT + HOUR_MS, 1)
      expect(due?.seq).toBe((await eventsOf(storage, 'sbc_1'))[0]?.seq)
    }
    // An event goes with its two deliveries.
    expect(Math.max(...pages)).toBe(66)
    expect(pages.reduce((sum, deleted) => sum + deleted)).toBe(150)
    const [gone = 0] = seqs
    await webhookQueue.store(both, AT)
    await webhooks.replay(OPERATOR, 'wh_1', { seq: gone, eventId: 'evt_1', type: 'webhook.test' }, AT)
    for (const id of ['wh_1', 'wh_2']) expect(await statesOf(storage, id)).toEqual([[young, 'pending', 1]])
  })

  it('audits what a partner changes, with no address and no secret', async () => {
    const { storage, clientId, add } = await webhookWorld(open)
    await add()
    const { webhooks } = storage
    const change = { url: 'https://other.example/secret-path', types: ['bill.paid'] as const }
    for (const _ of [1, 2]) await webhooks.change(byPartner(clientId), 'wh_1', change, AT)
    for (const state of ['enabled', 'disabled', 'disabled'] as const)
      await webhooks.change(byPartner(clientId), 'wh_1', { state }, AT)
    for (const _ of [1, 2])
      await webhooks.rotate(byPartner(clientId), 'wh_1', secretOf('second'), AT, AT + HOUR_MS)
    for (const _ of [1, 2]) await webhooks.remove(byPartner(clientId), 'wh_1', AT)
    const rows = (await storage.audit.list({ limit: 10, action: 'webhook.' })).reverse()
    expect(rows.map(({ actor, action, subject, details }) => [actor, action, subject, details])).toEqual([
      [clientId, 'webhook.create', 'wh_1', {}],
      [clientId, 'webhook.change', 'wh_1', { changed: ['url', 'types'] }],
      [clientId, 'webhook.change', 'wh_1', { changed: ['state'], state: ['enabled', 'disabled'] }],
      [...[clientId, 'webhook.rotate', 'wh_1'], { oldSecretExpiresAt: new Date(AT + HOUR_MS).toISOString() }],
      [clientId, 'webhook.delete', 'wh_1', {}],
    ])
  })
}
