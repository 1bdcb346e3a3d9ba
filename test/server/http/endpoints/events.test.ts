import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../../server/events/event.ts'
import { createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

interface Answered {
  data: { id: string; seq: string; type: string; timestamp: string; data: Record<string, unknown> }[]
  next: string
}

async function world(options?: { sweeps: boolean }) {
  const { api, partner, device } = await createTestShop(options)
  async function read(query = ''): Promise<Answered> {
    const { status, body } = await partner.call('GET', `/event${query}`)
    expect(status).toBe(200)
    // The description of the API is checked against each answer: see answer-check.ts.
    return body as Answered
  }
  const { next } = await read('?limit=100')
  return { api, partner, device, read, next }
}

it('answers with what has happened since, oldest first, and with where to go on', async () => {
  const { partner, read, next } = await world()
  expect(await read(`?after=${next}`)).toEqual({ data: [], next })
  await partner.pay()
  await settle()
  const answer = await read(`?after=${next}`)
  expect(answer.data.map(({ type }) => type)).toEqual(['payment.recorded', 'announcement.played'])
  expect(answer.data[1]).toEqual({
    ...{ id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/), seq: answer.next, type: 'announcement.played' },
    timestamp: '2026-11-20T03:00:00.000Z',
    data: expect.objectContaining({ ftCode: 'FT0001', deviceSerial: 'SB-0001', transactionAmount: '50000' }),
  })
  expect(BigInt(answer.next)).toBeGreaterThan(BigInt(next))
  const [first] = answer.data
  expect(await read(`?after=${first?.seq}&limit=1`)).toEqual({
    data: answer.data.slice(1),
    next: answer.next,
  })
  expect((await read('?types=payment.recorded,device.registered')).data.map(({ type }) => type)).toEqual([
    'device.registered',
    'payment.recorded',
  ])
  expect(await read(`?after=${next}&types=device.locked`)).toEqual({ data: [], next: answer.next })
})

it('has no name, note or number of a person', async () => {
  const { api, partner, read } = await world({ sweeps: true })
  await partner.pay()
  await partner.pay({ ftCode: 'FT-2', notice: 'NGUYEN VAN PAYER 0909090909' })
  await api.clock.wind(200_000)
  const text = JSON.stringify(await read())
  for (const personal of ['PAYER', '0909090909', 'Cà phê', '0901234567', '0123456789', 'NGUYEN'])
    expect(text).not.toContain(personal)
})

it('shows nothing of another partner', async () => {
  const { api, partner, next } = await world()
  await partner.pay()
  const other = await api.partner('Other')
  expect(await other.call('GET', '/event')).toMatchObject({ status: 200, body: { data: [], next: '0' } })
  expect(await other.call('GET', `/event?after=${next}`)).toMatchObject({ body: { data: [], next } })
})

it.each([
  ['after=x', 'after'],
  ['after=-1', 'after'],
  ['after=9007199254740992', 'after'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=', 'limit'],
  ['wait=31', 'wait'],
  ['wait=1.5', 'wait'],
  ['types=payment.recorded,payment', 'types'],
  ['types=', 'types'],
])('answers 400 40001 for %s, and names the parameter', async (query, field) => {
  const { partner } = await world()
  const { status, body } = await partner.call('GET', `/event?${query}`)
  expect([status, body]).toMatchObject([400, { code: 40001, details: [{ field }] }])
})

it('knows each type by its name', async () => {
  const { read } = await world()
  expect((await read(`?types=${EVENT_TYPES.join()}`)).data).toHaveLength(1)
})

it('answers 410 41000 with the oldest seq when events behind the seq were deleted', async () => {
  const { api, partner, read, next } = await world()
  await api.clock.wind(1)
  await partner.pay()
  await settle()
  await api.storage.retention.pruneEvents(api.clock.now(), '')
  const [oldest] = (await read()).data
  expect(oldest?.type).toBe('payment.recorded')
  expect((await read(`?after=${next}`)).data[0]).toEqual(oldest)
  const { status, body } = await partner.call('GET', `/event?after=${BigInt(next) - 1n}`)
  expect([status, body]).toMatchObject([
    410,
    { code: 41000, error: 'EVENTS_GONE', details: [{ field: 'after' }] },
  ])
  expect(JSON.stringify(body)).toContain(String(oldest?.seq))
  // All are gone: who has read them reads on, and who begins does so behind them.
  await api.storage.retention.pruneEvents(api.clock.now() + 1, '')
  const last = (await read()).next
  expect(await read(`?after=${last}`)).toEqual({ data: [], next: last })
  expect((await partner.call('GET', '/event?after=0')).status).toBe(410)
})

describe('with wait', () => {
  it('holds the answer until there is an event of the types that are asked for', async () => {
    const { api, partner, device, read, next } = await world()
    let answer: Answered | undefined
    const waiting = read(`?after=${next}&wait=30&types=announcement.played`).then((found) => {
      answer = found
    })
    await api.clock.wind(1_000)
    device.obeys = 'silent'
    await partner.pay()
    await api.clock.wind(1_000)
    expect(answer).toBeUndefined()
    const command = device.heard.find((one) => one.t === 'announce')
    if (!command) throw new Error('nothing was announced')
    await device.ack(command, 'played')
    await api.clock.wind(300)
    await waiting
    expect(answer?.data.map(({ type }) => type)).toEqual(['announcement.played'])
  })

  it('answers without one when the time is over, with the last seq that it has looked at', async () => {
    const { api, partner, device, read, next } = await world()
    device.obeys = 'silent'
    let answer: Answered | undefined
    const waiting = read(`?after=${next}&wait=5&types=device.locked`).then((found) => {
      answer = found
    })
    await partner.pay()
    await api.clock.wind(4_900)
    expect(answer).toBeUndefined()
    await api.clock.wind(200)
    await waiting
    expect(answer?.data).toEqual([])
    expect(BigInt(answer?.next ?? 0)).toBeGreaterThan(BigInt(next))
  })

  it('answers at once when there is one', async () => {
    const { partner, read, next } = await world()
    await partner.pay()
    expect((await read(`?after=${next}&wait=30`)).data.length).toBeGreaterThan(0)
  })

  it('ends when the client goes', async () => {
    const { api, partner, next } = await world()
    const gone = new AbortController()
    const answer = api.fetch(
      new Request(`http://localhost/api/v1/partner/event?after=${next}&wait=30`, {
        headers: { Authorization: `Bearer ${partner.token}` },
        signal: gone.signal,
      }),
    )
    await settle()
    gone.abort()
    expect((await answer).status).toBe(200)
  })
})

describe('whether a device is online', () => {
  const states = '&types=device.online,device.offline'

  it('is told a minute after it has left, and when it is back', async () => {
    const { api, device, read, next } = await world({ sweeps: true })
    const left = api.clock.now()
    device.leave()
    await api.clock.wind(59_000)
    expect((await read(`?after=${next}${states}`)).data).toEqual([])
    await api.clock.wind(2_000)
    const [offline, ...others] = (await read(`?after=${next}${states}`)).data
    expect(others).toEqual([])
    expect(offline).toMatchObject({
      type: 'device.offline',
      data: { deviceSerial: 'SB-0001', lastSeenAt: new Date(left).toISOString() },
    })
    await device.connect()
    await settle()
    expect((await read(`?after=${offline?.seq}${states}`)).data.map(({ type }) => type)).toEqual([
      'device.online',
    ])
  })

  it('is told of a device that does not come back after a restart of the hub', async () => {
    const { api, read, next } = await world({ sweeps: true })
    await api.restart()
    await api.clock.wind(62_000)
    await api.restart()
    await api.clock.wind(62_000)
    expect((await read(`?after=${next}${states}`)).data.map(({ type }) => type)).toEqual(['device.offline'])
  })
})
