import { describe, expect, it } from 'vitest'
import { type Answer, badFields, stringAt } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import { AT, attempt, dataOf, webhookWorld } from './webhook-world.ts'

const HOUR_MS = 3_600_000

describe('the deliveries of a webhook', () => {
  async function delivered() {
    const opened = await webhookWorld()
    const { api, partner, created, eventsOf, attempted } = opened
    const id = await created()
    const other = await created()
    for (let n = 0; n < 3; n += 1) {
      await api.clock.wind(1)
      await partner.call('POST', `/webhook/${id}/test`)
    }
    const [first, second, third] = (await eventsOf()).map((event) => event.id)
    if (!first || !second || !third) throw new Error('three events are expected')
    const failed = attempt({ status: 503, error: undefined, reply: 'try later' })
    const unheard = attempt({ status: undefined, error: 'No reply came within 15 s.', reply: '', ms: 15_000 })
    await attempted(id, [
      { eventId: first, state: 'delivered', attempts: [attempt()] },
      { eventId: second, state: 'failed', attempts: [failed, unheard] },
      { eventId: third, state: 'pending', attempts: [unheard] },
    ])
    const list = (query = '', of = id) => partner.call('GET', `/webhook/${of}/deliveries${query}`)
    return { ...opened, id, other, list, ids: { first, second, third } }
  }

  it('are listed with each attempt, those of the newest events first', async () => {
    const { api, list, ids, eventsOf } = await delivered()
    const { body } = await list()
    const [event] = await eventsOf()
    expect(Object(body).next).toBeNull()
    expect(Object(body).data).toEqual([
      expect.objectContaining({
        ...{ eventId: ids.third, state: 'pending' },
        nextAttemptAt: new Date(api.clock.now() + 5_000).toISOString(),
      }),
      expect.objectContaining({
        ...{ eventId: ids.second, state: 'failed', nextAttemptAt: null },
        attempts: [
          { at: AT, status: 503, ms: 12, error: null, reply: 'try later' },
          { at: AT, status: null, ms: 15_000, error: 'No reply came within 15 s.', reply: '' },
        ],
      }),
      {
        ...{ eventId: ids.first, seq: event?.seq, type: 'webhook.test', state: 'delivered' },
        ...{ nextAttemptAt: null, held: false },
        ...{ attempts: [{ at: AT, status: 200, ms: 12, error: null, reply: 'thanks' }] },
      },
    ])
  })

  it('are found by their state, and walked page by page', async () => {
    const { list, other, ids } = await delivered()
    const eventIds = (answer: Answer) => dataOf(answer).map(({ eventId }) => eventId)
    expect(eventIds(await list('?state=pending'))).toEqual([ids.third])
    expect(eventIds(await list('?state=delivered'))).toEqual([ids.first])
    expect(eventIds(await list('?state=failed'))).toEqual([ids.second])
    expect(eventIds(await list('', other))).toEqual([])
    const page = await list('?limit=2')
    expect(eventIds(page)).toEqual([ids.third, ids.second])
    const cursor = stringAt(page, 'next')
    expect((await list(`?limit=2&cursor=${cursor}`)).body).toMatchObject({
      ...{ data: [{ eventId: ids.first }], next: null },
    })
    // A cursor is of no use at another webhook.
    expect(badFields(await list(`?cursor=${cursor}`, other))).toEqual(['cursor'])
  })

  it.each(['state=lost', 'state=', 'limit=0', 'limit=101', 'cursor=garbage', 'colour=red'])(
    '?%s is 40001, which names it',
    async (query) => {
      const { partner, created } = await webhookWorld()
      const answer = await partner.call('GET', `/webhook/${await created()}/deliveries?${query}`)
      expect(answer.body).toMatchObject({ code: 40001 })
      expect(badFields(answer)).toEqual([query.split('=')[0]])
    },
  )
})

describe('a replay', () => {
  /** A registration; two locks and an unlock, each an hour later; and a test with the last of them. */
  async function busy() {
    const opened = await webhookWorld()
    const { api, partner, created, eventsOf } = opened
    const device = await api.device('SB-0001')
    await partner.register(device)
    await settle()
    const id = await created({ types: ['device.locked'] })
    const other = await created()
    for (const active of [false, true, false]) {
      await api.clock.wind(HOUR_MS)
      await partner.logIn()
      await partner.call('PATCH', '/device/update-status', {
        devices: [{ deviceSerial: 'SB-0001', active }],
      })
    }
    await partner.call('POST', `/webhook/${other}/test`)
    const replay = (body: object, of = id) => partner.call('POST', `/webhook/${of}/replay`, body)
    const count = async (body: object, of = id) => {
      const answer = await replay(body, of)
      expect(answer.status).toBe(202)
      return Object(answer.body).count
    }
    /** Ends the replay of a range. */
    const end = async (of = id) => {
      for (const state of ['disabled', 'enabled']) await partner.call('PATCH', `/webhook/${of}`, { state })
    }
    return { ...opened, id, other, replay, count, end, events: await eventsOf() }
  }

  it('of one event sends it again, whatever its type and whatever became of it', async () => {
    const { api, id, count, events, attempted } = await busy()
    const [registered] = events
    if (!registered) throw new Error('the device was registered')
    await attempted(id, [{ eventId: registered.id, state: 'delivered', attempts: [attempt()] }])
    expect(await count({ eventId: registered.id })).toBe(1)
    const [due, ...more] = await api.storage.webhookQueue.due(id, api.clock.now(), 10)
    expect(more).toEqual([])
    expect(due).toMatchObject({
      eventId: registered.id,
      type: 'device.registered',
      state: 'pending',
      step: 0,
    })
  })

  it("of an unknown event, another partner's, or the test of another webhook is 40405", async () => {
    const { api, replay, count, other, events, eventsOf } = await busy()
    const stranger = await api.partner('Other')
    await stranger.register(await api.device('SB-0002'))
    const [foreign] = await eventsOf(stranger)
    const test = events.find(({ type }) => type === 'webhook.test')
    for (const eventId of ['evt_unknown', `evt_${'0'.repeat(26)}`, foreign?.id, test?.id])
      expect(await replay({ eventId })).toMatchObject({
        ...{ status: 404, body: { code: 40405, error: 'EVENT_NOT_FOUND' } },
      })
    expect(await count({ eventId: test?.id }, other)).toBe(1)
  })

  it('of a range sends the events of its types, `since` included and `until` not', async () => {
    const { id, other, count, end, sending, events } = await busy()
    const locked = events.filter(({ type }) => type === 'device.locked').map(({ seq }) => Number(seq))
    expect(await count({ since: '2026-11-20T04:00:00Z', until: '2026-11-20T06:00:00Z' })).toBe(1)
    const [feed] = (await sending(id)).feeds.filter(({ number }) => number > 0)
    expect(feed?.after).toBeLessThan(locked[0] ?? 0)
    expect(feed?.upTo).toBeGreaterThanOrEqual(locked[0] ?? 0)
    expect(feed?.upTo).toBeLessThan(locked[1] ?? 0)
    const table: [since: string, until: string | undefined, locked: number, all: number][] = [
      ['2026-11-20T04:00:00Z', '2026-11-20T06:00:00.001Z', 2, 4],
      ['2026-11-20T04:00:00.001Z', '2026-11-20T06:00:00Z', 0, 1],
      ['2026-11-20T11:00:00+07:00', undefined, 2, 4],
      ['2026-11-20T11:00:00', '2030-01-01', 2, 4],
      ['1970-01-01', undefined, 2, 5],
      ['0001-01-01', '1970-01-01', 0, 0],
      ['2026-11-20T05:00:00Z', '2026-11-20T05:00:00Z', 0, 0],
      ['2030-01-01', undefined, 0, 0],
    ]
    for (const [since, until, one, all] of table) {
      for (const of of [id, other]) await end(of)
      const counted = [await count({ since, until }), await count({ since, until }, other)]
      expect([since, until, ...counted]).toEqual([since, until, one, all])
    }
  })

  it('of a range with nothing in it changes nothing, and ends at the newest event', async () => {
    const { id, count, sending, events } = await busy()
    const before = await sending(id)
    expect(await count({ since: '2026-11-20T05:00:00Z', until: '2026-11-20T06:00:00Z' })).toBe(0)
    expect(await sending(id)).toEqual(before)
    await count({ since: '2026-11-20T05:00:00Z', until: '2030-01-01' })
    expect((await sending(id)).feeds.at(-1)?.upTo).toBe(Number(events.at(-1)?.seq))
  })

  it('is one range at a time: the webhook shows how far it is, and disabling it ends it', async () => {
    const { partner, id, other, replay, count, end, events } = await busy()
    const get = async () => Object((await partner.call('GET', `/webhook/${id}`)).body).replay
    expect(await get()).toBeNull()
    const all = { since: '2026-11-20T04:00:00Z' }
    expect(await count(all)).toBe(2)
    expect(await get()).toEqual({ count: 2, sent: 0 })
    const key = { 'Idempotency-Key': 'later' }
    const again = () => partner.call('POST', `/webhook/${id}/replay`, all, key)
    const refused = { status: 409, body: { code: 40911, error: 'WEBHOOK_REPLAY_UNDER_WAY' } }
    expect(await again()).toMatchObject(refused)
    // One event, and another webhook, do not wait for it.
    expect(await count({ eventId: events[0]?.id })).toBe(1)
    expect(await count(all, other)).toBe(4)
    await end()
    expect(await get()).toBeNull()
    // The refusal has not used up the key.
    expect(await again()).toMatchObject({ status: 202, body: { count: 2 } })
    expect(await replay(all)).toMatchObject(refused)
  })

  it('counts ranges of several slices', async () => {
    const { api, partner, created } = await webhookWorld()
    const id = await created()
    for (let n = 0; n < 250; n += 1) await api.storage.events.addTest(partner.clientId, id, api.clock.now())
    const answer = await partner.call('POST', `/webhook/${id}/replay`, { since: AT })
    expect(answer).toMatchObject({ status: 202, body: { count: 250 } })
  })

  it('leaves events out that are not kept any more', async () => {
    const { api, replay, count, events } = await busy()
    await api.storage.retention.pruneEvents(Date.parse('2026-11-20T05:00:00Z'), '')
    expect(await count({ since: '1970-01-01' })).toBe(1)
    expect((await replay({ eventId: events[0]?.id })).body).toMatchObject({ code: 40405 })
  })

  it('is done once for an idempotency key', async () => {
    const { partner, id, events } = await busy()
    const send = () =>
      partner.call(
        'POST',
        `/webhook/${id}/replay`,
        { eventId: events[0]?.id },
        { 'Idempotency-Key': 'again' },
      )
    const [first, again] = [await send(), await send()]
    expect(again).toMatchObject({ status: 202, body: first.body })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  })

  it.each<[body: object, field: string]>([
    [{}, 'body'],
    [{ eventId: 'evt_1', since: AT }, 'body'],
    [{ eventId: 'evt_1', until: AT }, 'until'],
    [{ until: AT }, 'body'],
    [{ since: AT, until: '2026-11-20T02:59:59.999Z' }, 'until'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2026-02-30' }, 'since'],
    [{ since: 5 }, 'since'],
    [{ since: AT, until: null }, 'until'],
    [{ eventId: '' }, 'eventId'],
  ])('%j is 40001 and names %s', async (body, field) => {
    const { partner, created } = await webhookWorld()
    const answer = await partner.call('POST', `/webhook/${await created()}/replay`, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 40001 } })
    expect(badFields(answer)).toContain(field)
  })
})
