import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../../server/events/event.ts'
import { MOST_WEBHOOKS, ROTATION_OVERLAP_MS } from '../../../../server/webhooks/webhook.ts'
import { badFields, stringAt } from '../../../support/api.ts'
import { AT, attempt, dataOf, URL, webhookWorld } from './webhook-world.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describe('a new webhook', () => {
  it('is answered with its secret, which no other answer has', async () => {
    const { partner, create } = await webhookWorld()
    const types = ['payment.recorded', 'bill.paid']
    const answer = await create({ types, description: 'Sổ sách 📒' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...{ id: expect.stringMatching(/^wh_[0-9A-Z]{26}$/), url: URL, types, description: 'Sổ sách 📒' },
      ...{ state: 'enabled', disabledReason: null, createdAt: AT, failingSince: null, lastDeliveredAt: null },
      secret: expect.stringMatching(SECRET),
    })
    const { secret: _, ...webhook } = Object(answer.body)
    expect(await partner.call('GET', `/webhook/${webhook.id}`)).toMatchObject({ status: 200, body: webhook })
    expect((await partner.call('GET', '/webhook')).body).toEqual({ data: [webhook], next: null })
  })

  it('gets all types without a choice, has no description, and a normalised address', async () => {
    const { create } = await webhookWorld()
    const url = ' https://SHOP.example:443/a/../b c'.trim()
    expect((await create({ url })).body).toMatchObject({
      ...{ url: 'https://shop.example/b%20c', types: null, description: '' },
    })
    expect((await create({ types: null })).body).toMatchObject({ types: null })
    expect((await create({ types: ['bill.paid', 'bill.paid'] })).body).toMatchObject({ types: ['bill.paid'] })
    expect((await create({ types: EVENT_TYPES })).body).toMatchObject({ types: EVENT_TYPES })
  })

  it('is in the list, the newest first', async () => {
    const { api, partner, created } = await webhookWorld()
    const first = await created()
    await api.clock.wind(1)
    const second = await created()
    expect(dataOf(await partner.call('GET', '/webhook')).map(({ id }) => id)).toEqual([second, first])
  })

  it(`is refused with 40909 when the partner has ${MOST_WEBHOOKS}`, async () => {
    const { api, partner, create, created } = await webhookWorld()
    const ids = []
    for (let n = 0; n < MOST_WEBHOOKS; n += 1) ids.push(await created())
    expect(await create()).toMatchObject({ status: 409, body: { code: 40909, error: 'WEBHOOK_LIMIT' } })
    expect(String(Object((await create()).body).message)).toContain(` ${MOST_WEBHOOKS} `)
    const other = await api.partner('Other')
    expect((await other.call('POST', '/webhook', { url: URL })).status).toBe(201)
    await partner.call('DELETE', `/webhook/${ids[0]}`)
    expect((await create()).status).toBe(201)
  })

  it('is made once for an idempotency key, and its secret comes again', async () => {
    const { partner } = await webhookWorld()
    const send = () => partner.call('POST', '/webhook', { url: URL }, { 'Idempotency-Key': 'webhook-1' })
    const [first, again] = [await send(), await send()]
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(dataOf(await partner.call('GET', '/webhook'))).toHaveLength(1)
  })
})

describe('an address that the hub does not send to', () => {
  const refused: [url: string, why: RegExp][] = [
    ['shop.example', /must be a URL/],
    ['ftp://shop.example/', /must begin with https/],
    ['http://shop.example/', /HUB_WEBHOOK_ALLOW/],
    ['https://user:pass@shop.example/', /user name/],
    ['https://127.0.0.1/', /loopback/],
    ['https://2130706433/', /loopback/],
    ['https://[::ffff:10.0.0.1]/', /IPv4-mapped/],
    ['https://localhost/', /localhost/],
    ['https://inside.example/', /public addresses alone/],
    ['https://both.example/', /public addresses alone/],
    [`https://${'a.'.repeat(127)}example/`, /253/],
  ]

  it.each(refused)('%s is 40021, which says why', async (url, why) => {
    const { partner, create, created } = await webhookWorld()
    const expected = { status: 400, body: { code: 40021, error: 'WEBHOOK_URL_REFUSED' } }
    const details = [{ field: 'url', issue: expect.stringMatching(why) }]
    const answer = await create({ url })
    expect(answer).toMatchObject(expected)
    expect(answer.body).toMatchObject({ details })
    expect(dataOf(await partner.call('GET', '/webhook'))).toEqual([])
    const id = await created()
    const changed = await partner.call('PATCH', `/webhook/${id}`, { url, description: 'new' })
    expect(changed).toMatchObject(expected)
    expect(changed.body).toMatchObject({ details })
    expect((await partner.call('GET', `/webhook/${id}`)).body).toMatchObject({ url: URL, description: '' })
  })

  it.each(['https://10.1.2.3/', 'http://10.1.2.3:8080/', 'http://inside.example/'])(
    '%s is taken when the operator allows the network',
    async (url) => {
      const { create } = await webhookWorld('10.0.0.0/8')
      expect((await create({ url })).status).toBe(201)
    },
  )

  it('may have a name without an address: its deliveries say so', async () => {
    const { create } = await webhookWorld()
    expect((await create({ url: 'https://nowhere.example/' })).status).toBe(201)
  })
})

it.each<[body: unknown, field: string, issue: RegExp]>([
  [{}, 'url', /is required/],
  [{ url: '' }, 'url', /1 to 2048 characters/],
  [{ url: `https://shop.example/${'x'.repeat(2_028)}` }, 'url', /1 to 2048 characters/],
  [{ url: 5 }, 'url', /a JSON string, not a number/],
  [{ url: 'https://shop.example/\n' }, 'url', /control/],
  [{ url: URL, types: [] }, 'types', /must have a type/],
  [{ url: URL, types: 'bill.paid' }, 'types', /must be an array/],
  [{ url: URL, types: ['bill.paid', 'bill.unpaid'] }, 'types.1', /^bill\.unpaid is not a type of events/],
  [{ url: URL, types: ['<script>'] }, 'types.0', /^must be one of payment\.recorded/],
  [{ url: URL, types: [5] }, 'types.0', /^must be one of payment\.recorded/],
  [{ url: URL, description: 'x'.repeat(257) }, 'description', /0 to 256 characters/],
  [{ url: URL, description: null }, 'description', /not null/],
])('creating %j is 40001 and names %s', async (body, field, issue) => {
  const { partner } = await webhookWorld()
  const answer = await partner.call('POST', '/webhook', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 40001 } })
  expect(badFields(answer)).toEqual([field])
  expect(stringAt(answer, 'details', 0, 'issue')).toMatch(issue)
})

it('that has thousands of wrong types is answered with few details', async () => {
  const { create } = await webhookWorld()
  const answer = await create({ types: Array.from({ length: 5_000 }, () => 0) })
  expect(answer).toMatchObject({ status: 400, body: { code: 40001 } })
  expect(answer.text.length).toBeLessThan(2_000)
  expect(badFields(await create({ types: [...EVENT_TYPES, 'bill.paid'] }))).toEqual(['types'])
})

describe('a change', () => {
  it('changes what is given and nothing else', async () => {
    const { partner, created } = await webhookWorld()
    const id = await created({ types: ['bill.paid'], description: 'one' })
    const change = async (body: object) => (await partner.call('PATCH', `/webhook/${id}`, body)).body
    expect(await change({ description: 'two' })).toMatchObject({ url: URL, types: ['bill.paid'] })
    expect(await change({ types: null })).toMatchObject({ types: null, description: 'two' })
    expect(await change({ types: ['webhook.test'] })).toMatchObject({ types: ['webhook.test'], url: URL })
    expect(await change({ url: 'https://other.example' })).toMatchObject({ url: 'https://other.example/' })
    expect(await change({ description: '' })).toMatchObject({ description: '', types: ['webhook.test'] })
    expect(await change({ state: 'disabled' })).toMatchObject({ state: 'disabled', disabledReason: null })
    const disabled = (await partner.call('GET', `/webhook/${id}`)).body
    expect(disabled).toMatchObject({ state: 'disabled', url: 'https://other.example/' })
    expect({ ...Object(await change({ state: 'enabled' })), replay: null }).toEqual({
      ...Object(disabled),
      state: 'enabled',
    })
  })

  it('enables a webhook that the hub has disabled', async () => {
    const { api, partner, created, eventsOf, attempted } = await webhookWorld()
    const id = await created()
    const path = `/webhook/${id}`
    await partner.call('POST', `${path}/test`)
    await api.clock.wind(1_000)
    const [event] = await eventsOf()
    const last = attempt({ at: api.clock.now(), status: 410 })
    await attempted(id, [{ eventId: event?.id ?? '', state: 'pending', attempts: [last] }], 'gone')
    expect((await partner.call('GET', path)).body).toMatchObject({
      ...{ state: 'disabled', disabledReason: 'gone', lastDeliveredAt: null },
      failingSince: '2026-11-20T03:00:01.000Z',
    })
    expect((await partner.call('PATCH', path, { state: 'enabled' })).body).toMatchObject({
      ...{ state: 'enabled', disabledReason: null, failingSince: null },
    })
  })

  it.each<[body: object, field: string]>([
    [{}, 'body'],
    [{ colour: 'red' }, 'body'],
    [{ state: 'paused' }, 'state'],
    [{ state: null }, 'state'],
    [{ url: null }, 'url'],
    [{ types: [] }, 'types'],
    [{ types: ['x'] }, 'types.0'],
    [{ description: 5 }, 'description'],
  ])('%j is 40001 and names %s', async (body, field) => {
    const { partner, created } = await webhookWorld()
    const answer = await partner.call('PATCH', `/webhook/${await created()}`, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 40001 } })
    expect(badFields(answer)).toEqual([field])
  })
})

it('is gone when it is deleted', async () => {
  const { partner, created } = await webhookWorld()
  const id = await created()
  expect(await partner.call('DELETE', `/webhook/${id}`)).toMatchObject({ status: 204, text: '' })
  expect((await partner.call('DELETE', `/webhook/${id}`)).body).toMatchObject({ code: 40404 })
  expect((await partner.call('GET', `/webhook/${id}`)).body).toMatchObject({ code: 40404 })
  expect(dataOf(await partner.call('GET', '/webhook'))).toEqual([])
})

describe('a rotation', () => {
  it('makes a new secret, beside which the one before signs for a day', async () => {
    const { api, partner, create, sending } = await webhookWorld()
    const created = await create()
    const [id, first] = [stringAt(created, 'id'), stringAt(created, 'secret')]
    const rotate = () => partner.call('POST', `/webhook/${id}/rotate`)
    const answer = await rotate()
    expect(answer).toMatchObject({ status: 200, body: { previousUntil: '2026-11-21T03:00:00.000Z' } })
    const second = stringAt(answer, 'secret')
    expect(second).toMatch(SECRET)
    expect(second).not.toBe(first)
    const until = api.clock.now() + ROTATION_OVERLAP_MS
    expect(await sending(id)).toMatchObject({ secret: second, previous: { secret: first, until } })
    await api.clock.wind(ROTATION_OVERLAP_MS - 1)
    await partner.logIn()
    expect(await rotate()).toMatchObject({
      ...{ status: 409, body: { code: 40908, error: 'WEBHOOK_ROTATION_UNDER_WAY' } },
    })
    expect(await sending(id)).toMatchObject({ secret: second })
    await api.clock.wind(1)
    const third = stringAt(await rotate(), 'secret')
    expect(await sending(id)).toMatchObject({ secret: third, previous: { secret: second } })
  })

  it('is done once for an idempotency key, with any body', async () => {
    const { partner, created } = await webhookWorld()
    const path = `/webhook/${await created()}/rotate`
    const rotate = (key: string, body?: unknown) =>
      partner.call('POST', path, body, { 'Idempotency-Key': key })
    const first = await rotate('rotation-1')
    expect(await rotate('rotation-1')).toMatchObject({ status: 200, body: first.body })
    expect((await rotate('rotation-1', {})).body).toMatchObject({ code: 40002 })
    expect((await rotate('rotation-2')).body).toMatchObject({ code: 40908 })
    expect((await rotate('a b')).body).toMatchObject({ code: 40001 })
    expect((await rotate('rotation-3', 'x'.repeat(16_385))).body).toMatchObject({ code: 41300 })
  })
})

it('is tested by an event of its own', async () => {
  const { partner, created, eventsOf } = await webhookWorld()
  const id = await created({ types: ['bill.paid'] })
  expect(await partner.call('POST', `/webhook/${id}/test`)).toMatchObject({ status: 202, body: {} })
  expect(await eventsOf()).toMatchObject([{ type: 'webhook.test', data: { webhookId: id } }])
})

it('has its secret and its address in no log line and in no plain byte of the disk', async () => {
  const { api, partner, create, sending } = await webhookWorld()
  const created = await create()
  const id = stringAt(created, 'id')
  await partner.call('PATCH', `/webhook/${id}`, { url: `${URL}&more` })
  await partner.call('PATCH', `/webhook/${id}`, { url: `https://10.0.0.1/${URL}` })
  await partner.call('POST', `/webhook/${id}/rotate`, undefined, { 'Idempotency-Key': 'rotation-1' })
  const { secret, previous } = await sending(id)
  const hidden = ['THE-PARTNERS-TOKEN', 'shop.example', secret, previous?.secret ?? 'none']
  const disk = ['', '-wal'].map((end) => readFileSync(`${api.file}${end}`, 'latin1')).join('')
  expect(disk).toContain(id)
  const audit = JSON.stringify(await api.storage.audit.list({ limit: 1_000 }))
  expect(audit).toContain(id)
  for (const text of hidden) {
    expect(api.log.join('')).not.toContain(text)
    expect(disk).not.toContain(text)
    expect(audit).not.toContain(text)
  }
})

it('is named in the log by its id, with the route as its pattern', async () => {
  const { api, partner, created } = await webhookWorld()
  const id = await created()
  await partner.call('GET', `/webhook/${id}/deliveries`)
  const line = JSON.parse(api.log.findLast((one) => one.includes('"msg":"request"')) ?? '')
  expect(line).toMatchObject({ route: '/api/v1/partner/webhook/:id/deliveries', webhook: id, status: 200 })
})
