import { describe, expect, it } from 'vitest'
import { byPartner } from '../../../../../server/security/actor.ts'
import { MOST_WEBHOOKS } from '../../../../../server/webhooks/webhook.ts'
import { AT, createShop } from '../../../../server/storage/shop.ts'
import {
  deliveryOf,
  feedsOf,
  progressOf,
  secretOf,
  statesOf,
  webhookOf,
} from '../../../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { openHolder } from './holder.ts'

const postgres = await startTestPostgres()

/** Two hubs, a webhook, and a transaction of a third hub. */
async function hubs({ database, open }: TestPostgres) {
  const url = await database()
  const [here, there] = [await open(url), await open(url)]
  const clientId = await createShop(here).partner('sbc_1')
  const add = (id: string, at = here) =>
    at.webhooks.add(byPartner(clientId), webhookOf(clientId, id), secretOf(id))
  await add('wh_1')
  const { hold, client } = await openHolder(url)
  return { here, there, clientId, add, hold, client }
}

const HOLD = "SELECT FROM webhooks WHERE id = 'wh_1' FOR NO KEY UPDATE"

describe.skipIf(!postgres)('webhooks of hubs that meet in PostgreSQL', () => {
  if (!postgres) return

  it('are no more than a partner may have, when two hubs have waited to add one', async () => {
    const { here, there, clientId, add, hold } = await hubs(postgres)
    for (let n = 2; n < MOST_WEBHOOKS; n += 1) await add(`wh_${n}`)
    const added = await hold<boolean[]>(
      ['SELECT FROM partners FOR NO KEY UPDATE'],
      () => add('wh_here'),
      () => add('wh_there', there),
    )
    expect(added).toEqual([true, false])
    expect(await here.webhooks.list(clientId)).toHaveLength(MOST_WEBHOOKS)
  })

  it('get no delivery of an event that was deleted while the attempt waited to be stored', async () => {
    const { here, clientId, hold } = await hubs(postgres)
    const deliveries = [1, 2, 3].map((seq) => deliveryOf('wh_1', seq))
    const again = { seq: 1, eventId: 'evt_1', type: 'webhook.test' } as const
    await hold<unknown[]>(
      [HOLD, `INSERT INTO deleted_events VALUES ('${clientId}', 2)`],
      () => here.webhookQueue.store([progressOf('wh_1', { deliveries })], AT),
      () => here.webhooks.replay(OPERATOR, 'wh_1', again, AT),
    )
    expect(await statesOf(here)).toEqual([[3, 'delivered', 1]])
  })

  it('stay deleted when an attempt has waited for that', async () => {
    const { here, hold, client } = await hubs(postgres)
    const progress = progressOf('wh_1', { deliveries: [deliveryOf('wh_1', 1)] })
    await hold<unknown[]>(
      ["UPDATE webhooks SET deleted_at = 1 WHERE id = 'wh_1'"],
      () => here.webhookQueue.store([progress], AT),
      () => here.webhooks.replayRange(OPERATOR, 'wh_1', { after: 0, upTo: 9, count: 9 }, AT),
    )
    expect((await client.query('SELECT FROM deliveries')).rowCount).toBe(0)
    expect((await client.query('SELECT FROM webhook_feeds WHERE number > 0')).rowCount).toBe(0)
  })

  it('pass no event by types that were changed while the attempt waited', async () => {
    const { here, hold } = await hubs(postgres)
    const progress = progressOf('wh_1', {
      ...{ deliveries: [deliveryOf('wh_1', 2)], feeds: [{ number: 0, after: 3 }] },
    })
    await hold<unknown[]>(["UPDATE webhooks SET revision = 1 WHERE id = 'wh_1'"], () =>
      here.webhookQueue.store([progress], AT),
    )
    expect(await statesOf(here)).toEqual([[2, 'delivered', 1]])
    expect(await feedsOf(here)).toMatchObject([{ number: 0, after: 0 }])
  })

  it('keep all events of feeds that two hubs move at once', async () => {
    const { here, there, hold } = await hubs(postgres)
    await here.webhooks.replayRange(OPERATOR, 'wh_1', { after: 0, upTo: 5, count: 5 }, AT)
    const moveTo = (at: typeof here, after: number) => () =>
      at.webhookQueue.store([progressOf('wh_1', { feeds: [0, 1].map((number) => ({ number, after })) })], AT)
    await hold<unknown[]>([HOLD], moveTo(here, 4), moveTo(there, 3))
    expect(await feedsOf(here)).toMatchObject([{ after: 4 }, { number: 1, after: 4 }])
    await hold<unknown[]>([HOLD], moveTo(here, 5), moveTo(there, 4))
    expect(await feedsOf(here)).toMatchObject([{ number: 0, after: 5 }])
  })

  it('keep no delivery of an event that is deleted before its attempt is stored', async () => {
    const { here, there, clientId, hold, client } = await hubs(postgres)
    await here.events.addTest(clientId, 'wh_1', AT)
    const [event] = (await here.events.page(clientId, { after: 0, limit: 1 })).events
    const progress = progressOf('wh_1', { deliveries: [deliveryOf('wh_1', event?.seq ?? 0)] })
    await hold<unknown[]>(
      [HOLD],
      () => here.retention.pruneEvents(AT + 1, ''),
      () => there.webhookQueue.store([progress], AT),
    )
    expect((await client.query('SELECT FROM events')).rowCount).toBe(0)
    expect((await client.query('SELECT FROM deliveries')).rowCount).toBe(0)
  })

  it('begin at what has a seq: an event that waits for one comes later, and is theirs', async () => {
    const { here, add, clientId, client } = await hubs(postgres)
    await here.events.addTest(clientId, 'wh_1', AT)
    await client.query(
      "INSERT INTO event_queue (client_id, type, at, data) VALUES ($1, 'device.online', $2, '{}')",
      [clientId, AT],
    )
    await add('wh_2')
    const [feed] = await feedsOf(here, 'wh_2')
    while ((await here.events.number(1_000)) > 0);
    const after = feed?.after ?? 0
    expect(after).toBeGreaterThan(0)
    expect((await here.events.page(clientId, { after, limit: 10 })).events).toHaveLength(1)
  })
})
