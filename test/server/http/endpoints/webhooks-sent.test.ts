import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import type { Post, PostRequest } from '../../../../server/webhooks/send/post.ts'
import { createTestShop, stringAt } from '../../../support/api.ts'
import { dataOf } from './webhook-world.ts'

/** What a partner's endpoint gets: from the API, through the log and the dispatcher, to the request. */
async function world() {
  const got: PostRequest[] = []
  let status = 200
  const post: Post = async (request) => {
    got.push(request)
    return { outcome: 'answered', status, error: undefined, reply: `${status}!`, retryAfterMs: undefined }
  }
  const { api, partner } = await createTestShop({ post })
  async function create(host: string, more: object = {}) {
    const answer = await partner.call('POST', '/webhook', { url: `https://${host}/`, ...more })
    return { id: stringAt(answer, 'id'), secret: stringAt(answer, 'secret') }
  }
  return {
    ...{ api, partner, create, got },
    answers(next: number) {
      status = next
    },
    /** The types that a host has got since the last call. */
    take(host: string): string[] {
      const own = got.filter(({ url }) => url === `https://${host}/`)
      for (const one of own) got.splice(got.indexOf(one), 1)
      return own.map(({ body }) => JSON.parse(body).type)
    },
    /** Verifies a request as the library of receivers does. */
    verified(secret: string, { headers, body }: PostRequest): unknown {
      // The library compares with the machine's clock, so only the signature can be compared.
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
      const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body)
      expect(headers['webhook-signature']?.split(' ')).toContain(signature)
      return JSON.parse(body)
    },
  }
}

it('gets the events of its types from its creation on, signed with its secret, as GET /event has them', async () => {
  const { api, partner, create, got, verified, take } = await world()
  const { id, secret } = await create('some.example', { types: ['payment.recorded'] })
  await create('all.example')
  await partner.pay()
  await api.clock.wind(2_000)
  const [request] = got.filter(({ url }) => url === 'https://some.example/')
  if (!request) throw new Error('nothing came')
  const events = dataOf(await partner.call('GET', '/event?types=payment.recorded'))
  expect(verified(secret, request)).toEqual(events[0])
  expect(request.body).toBe(JSON.stringify(events[0]))
  expect(request.headers['webhook-id']).toBe(events[0]?.id)
  expect(take('some.example')).toEqual(['payment.recorded'])
  expect(take('all.example').sort()).toEqual(['announcement.played', 'payment.recorded'])
  const delivery = { eventId: events[0]?.id, seq: events[0]?.seq, type: 'payment.recorded' }
  expect(dataOf(await partner.call('GET', `/webhook/${id}/deliveries`))).toMatchObject([
    { ...delivery, state: 'delivered', nextAttemptAt: null, attempts: [{ status: 200, reply: '200!' }] },
  ])
  expect((await partner.call('GET', `/webhook/${id}`)).body).toMatchObject({
    ...{ failingSince: null, lastDeliveredAt: expect.stringMatching(/^2026-11-20T03:00/) },
  })
})

it('gets events again by a replay, under the same id', async () => {
  const { api, partner, create, got, take } = await world()
  const { id } = await create('shop.example', { types: ['payment.recorded'] })
  for (const ftCode of ['FT1', 'FT2']) await partner.pay({ ftCode })
  await api.clock.wind(2_000)
  const sent = got.map(({ body }) => body).sort()
  expect(take('shop.example')).toEqual(['payment.recorded', 'payment.recorded'])
  const replay = async (body: object) => {
    const answer = await partner.call('POST', `/webhook/${id}/replay`, body)
    await api.clock.wind(2_000)
    return Object(answer.body).count
  }
  expect(await replay({ since: '2026-11-20T03:00:00Z' })).toBe(2)
  expect(got.map(({ body }) => body).sort()).toEqual(sent)
  take('shop.example')
  const [registered] = dataOf(await partner.call('GET', '/event?types=device.registered'))
  expect(await replay({ eventId: registered?.id })).toBe(1)
  expect(take('shop.example')).toEqual(['device.registered'])
})

it('gets nothing while it is disabled, and everything since then when it is enabled', async () => {
  const { api, partner, create, take } = await world()
  const { id } = await create('shop.example', { types: ['payment.recorded', 'webhook.test'] })
  const path = `/webhook/${id}`
  await partner.call('PATCH', path, { state: 'disabled' })
  for (const ftCode of ['FT1', 'FT2']) await partner.pay({ ftCode })
  await partner.call('POST', `${path}/test`)
  await api.clock.wind(60_000)
  expect(take('shop.example')).toEqual([])
  await partner.call('PATCH', path, { state: 'enabled' })
  await api.clock.wind(2_000)
  expect(take('shop.example').sort()).toEqual(['payment.recorded', 'payment.recorded', 'webhook.test'])
  await partner.call('DELETE', path)
  await partner.pay({ ftCode: 'FT3' })
  await api.clock.wind(60_000)
  expect(take('shop.example')).toEqual([])
})

it('shows a failure and when it is tried again', async () => {
  const { api, partner, create, answers } = await world()
  const { id } = await create('shop.example', { types: ['payment.recorded'] })
  answers(500)
  await partner.pay()
  await api.clock.wind(2_000)
  const path = `/webhook/${id}`
  const failingSince = stringAt(await partner.call('GET', path), 'failingSince')
  const [delivery] = dataOf(await partner.call('GET', `${path}/deliveries?state=pending`))
  expect(delivery).toMatchObject({
    attempts: [{ at: failingSince, status: 500, error: null, reply: '500!' }],
    nextAttemptAt: new Date(Date.parse(failingSince) + 5_000).toISOString(),
  })
  answers(200)
  await api.clock.wind(10_000)
  expect(dataOf(await partner.call('GET', `${path}/deliveries`))).toMatchObject([
    { state: 'delivered', attempts: [{ status: 500 }, { status: 200 }] },
  ])
  expect((await partner.call('GET', path)).body).toMatchObject({ failingSince: null })
})

it('shows all that waits: held while the endpoint has failed ten times in a row', async () => {
  const { api, partner, create, answers, take } = await world()
  const { id } = await create('shop.example', { types: ['payment.recorded'] })
  const path = `/webhook/${id}/deliveries`
  const list = async (query = '') => dataOf(await partner.call('GET', `${path}${query}`))
  answers(500)
  for (let n = 0; n < 10; n += 1) await partner.pay({ ftCode: `FT${n}` })
  await api.clock.wind(3_000)
  await partner.pay({ ftCode: 'FT-NEW' })
  await partner.pay({ ftCode: 'FT-NEWER' })
  const [newer, fresh, ...tried] = await list()
  const seqs = dataOf(await partner.call('GET', '/event?types=payment.recorded')).map(({ seq }) => seq)
  expect([newer?.seq, fresh?.seq]).toEqual([seqs.at(-1), seqs.at(-2)])
  for (const waiting of [newer, fresh])
    expect(waiting).toMatchObject({ state: 'pending', held: true, attempts: [] })
  const probeAt = Date.parse(String(fresh?.nextAttemptAt))
  expect(probeAt).toBeGreaterThan(api.clock.now())
  expect(probeAt).toBeLessThanOrEqual(api.clock.now() + 5 * 60_000)
  expect(tried.map(({ state, held }) => [state, held])).toEqual(tried.map(() => ['pending', true]))
  expect(await list('?state=delivered')).toEqual([])

  // Page by page, each once.
  const walked: unknown[] = []
  for (let cursor = ''; ; ) {
    const { body } = await partner.call('GET', `${path}?limit=5${cursor}`)
    walked.push(...Object(body).data.map((one: { seq: string }) => one.seq))
    if (Object(body).next === null) break
    cursor = `&cursor=${Object(body).next}`
  }
  expect(walked).toEqual(seqs.toReversed())

  answers(200)
  await api.clock.wind(400_000)
  take('shop.example')
  expect((await list()).map(({ state, held }) => [state, held])).toEqual(seqs.map(() => ['delivered', false]))
})

it('shows events that wait for a disabled webhook, and answers a test with its event', async () => {
  const { api, partner, create, take } = await world()
  const { id } = await create('shop.example')
  const path = `/webhook/${id}`
  await partner.call('PATCH', path, { state: 'disabled' })
  const eventId = stringAt(await partner.call('POST', `${path}/test`), 'eventId')
  const list = async () => dataOf(await partner.call('GET', `${path}/deliveries?state=pending`))
  expect(await list()).toEqual([
    expect.objectContaining({ eventId, type: 'webhook.test', nextAttemptAt: null, held: false }),
  ])
  await partner.call('PATCH', path, { state: 'enabled' })
  await api.clock.wind(2_000)
  expect(take('shop.example')).toEqual(['webhook.test'])
  expect(await list()).toEqual([])
})
