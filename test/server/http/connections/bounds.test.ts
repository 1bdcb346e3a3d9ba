import { describe, expect, it } from 'vitest'
import { settle } from '../../../support/clock.ts'
import { until } from '../../../support/wait.ts'
import { get, post, serveFront } from './front.ts'

const HALF = post('/echo', 'half').slice(0, -2)
const forwardedFor = (address: string) => `X-Forwarded-For: ${address}\r\n`

/** Connects and learns whether the server keeps the connection. */
async function isKept(
  front: Awaited<ReturnType<typeof serveFront>>,
  from?: string,
  headers?: string,
): Promise<boolean> {
  const client = await front.open(from)
  client.send(get('/now/kept', headers))
  return until('an answer or an end', () =>
    client.isClosed() ? 'closed' : client.bodies().length > 0 && 'kept',
  ).then((outcome) => outcome === 'kept')
}

describe('new connections', () => {
  it('of one network are closed beyond its bound, until one of them ends', async () => {
    const front = await serveFront({ bounds: { ofNetwork: 2 } })
    const first = await front.open('127.0.0.2')
    expect(await isKept(front, '127.0.0.2')).toBe(true)
    expect(await isKept(front, '127.0.0.2')).toBe(false)
    expect(await isKept(front, '127.0.0.3')).toBe(true)
    expect(front.cut).toEqual(['network'])
    first.socket.destroy()
    await until('there is room', () => isKept(front, '127.0.0.2'))
  })

  it('of one network are closed beyond its rate', async () => {
    const front = await serveFront({ bounds: { accepts: { perSecond: 1, burst: 2 } } })
    expect(await isKept(front, '127.0.0.2')).toBe(true)
    expect(await isKept(front, '127.0.0.2')).toBe(true)
    expect(await isKept(front, '127.0.0.2')).toBe(false)
    expect(await isKept(front, '127.0.0.3')).toBe(true)
    expect(front.cut).toEqual(['rate'])
    await front.clock.wind(1_000)
    expect(await isKept(front, '127.0.0.2')).toBe(true)
  })

  it('may come faster from a network that has shown a good token', async () => {
    const front = await serveFront({
      bounds: { accepts: { perSecond: 1, burst: 2 }, acceptsOfPartner: { perSecond: 1, burst: 3 } },
    })
    const partner = await front.open()
    partner.send(get('/partner/a'))
    await partner.answers(1)
    const kept: boolean[] = []
    for (let more = 0; more < 4; more += 1) kept.push(await isKept(front))
    expect(kept).toEqual([true, true, true, false])
  })

  it('of a trusted proxy have no bound of its own network', async () => {
    const front = await serveFront({
      trustsProxy: () => true,
      bounds: { ofNetwork: 1, accepts: { perSecond: 1, burst: 1 } },
    })
    for (let more = 1; more <= 5; more += 1)
      expect(await isKept(front, undefined, forwardedFor(`192.0.2.${more}`))).toBe(true)
    expect(front.cut).toEqual([])
  })

  it('of a trusted proxy count for the network of their client while a request is under way', async () => {
    const front = await serveFront({ trustsProxy: () => true, bounds: { ofNetwork: 1 } })
    const [first, second, other] = [await front.open(), await front.open(), await front.open()]
    first.send(get('/wait/1', forwardedFor('192.0.2.1')))
    await front.wasAsked('/wait/1')
    second.send(get('/now/2', forwardedFor('192.0.2.1')))
    await second.closed()
    expect(front.cut).toEqual(['network'])
    other.send(get('/now/3', forwardedFor('192.0.2.3')))
    expect(await other.answers(1)).toEqual(['3'])
    await front.answer('1')
    expect(await first.answers(1)).toEqual(['1'])
    await until('there is room', () => isKept(front, undefined, forwardedFor('192.0.2.1')))
  })

  it('of a trusted proxy count once for two requests, and no more when they have ended without an answer', async () => {
    const front = await serveFront({ trustsProxy: () => true, bounds: { ofNetwork: 1 } })
    const headers = forwardedFor('192.0.2.1')
    const client = await front.open()
    client.send(post('/echo', 'half', headers).slice(0, -2))
    await front.wasAsked('/echo')
    client.send(`lf${get('/now/2', headers)}`)
    expect(await client.answers(2)).toEqual(['half', '2'])
    client.send(get('/wait/3', headers))
    await front.wasAsked('/wait/3')
    expect(await isKept(front, undefined, headers)).toBe(false)
    client.socket.resetAndDestroy()
    await until('there is room', () => isKept(front, undefined, headers))
  })

  it('take the place of the stranger that was idle for longest when all are taken', async () => {
    const front = await serveFront({ bounds: { connections: 3 } })
    const [partner, first, second] = [await front.open(), await front.open(), await front.open()]
    partner.send(get('/partner/a'))
    await partner.answers(1)
    first.send(get('/now/1'))
    await first.answers(1)
    const third = await front.open()
    third.send(get('/now/3'))
    await third.answers(1)
    await second.closed()
    expect([partner.isClosed(), first.isClosed(), front.cut]).toEqual([false, false, ['evicted']])
  })

  it.each([
    ['headers that are slow', 'GET /now/1 HTT', 0],
    [
      'an upgrade that does not end',
      'GET /mqtt HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
      0,
    ],
    ['a body that is slow', HALF, 0],
    ['a body that is slow, after an answer', get('/now/1') + HALF, 1],
  ])('take the place of %s before that of a request that is received', async (_, text, answers) => {
    const front = await serveFront({ bounds: { connections: 2 } })
    const waits = await front.open()
    waits.send(get('/wait/1'))
    await front.wasAsked('/wait/1')
    const slow = await front.open()
    slow.send(text)
    await slow.answers(answers)
    await settle()
    expect(await isKept(front)).toBe(true)
    await slow.closed()
    expect(await isKept(front)).toBe(true)
    expect(front.cut).toEqual(['evicted', 'evicted'])
    await front.answer('1')
    expect(await waits.answers(1)).toEqual(['1'])
  })

  it('take the place of a body that is slow, and that came with the end of the one before', async () => {
    const front = await serveFront({ bounds: { connections: 2 } })
    const waits = await front.open()
    waits.send(get('/wait/1'))
    await front.wasAsked('/wait/1')
    const slow = await front.open()
    slow.send(HALF)
    await front.wasAsked('/echo')
    slow.send(`lf${HALF}`)
    await slow.answers(1)
    await settle()
    expect(await isKept(front)).toBe(true)
    await slow.closed()
    await front.answer('1')
    expect(await waits.answers(1)).toEqual(['1'])
  })

  it('take the place of the partner that has the most, but only as many as are kept', async () => {
    const front = await serveFront({ bounds: { connections: 4, kept: 1 } })
    const clients = []
    for (const partner of ['a', 'a', 'a', 'b']) {
      const client = await front.open()
      client.send(get(`/partner/${partner}`))
      await client.answers(1)
      clients.push(client)
    }
    for (let more = 0; more < 3; more += 1) expect(await isKept(front)).toBe(true)
    await clients[0]?.closed()
    expect(clients.map((client) => client.isClosed())).toEqual([true, false, false, false])
    expect(front.cut).toEqual(['evicted', 'evicted', 'evicted'])
  })

  it('take the place of a request that waits only when its partner has the most, and no connection that rests', async () => {
    const front = await serveFront({ bounds: { connections: 5, kept: 1 } })
    const open = async (path: string) => {
      const client = await front.open()
      client.send(get(path))
      await front.wasAsked(path)
      return client
    }
    const waiting = [await open('/wait/1/a'), await open('/wait/2/a'), await open('/wait/3/a')]
    const others = [await open('/partner/b'), await open('/partner/b')]
    for (const other of others) await other.answers(1)
    expect(await isKept(front)).toBe(true)
    await waiting[0]?.closed()
    // Now each partner has two, and the stranger has the one place that is kept.
    waiting.push(await open('/partner/a'))
    await until('the place of the stranger was taken', () => front.cut.length === 2)
    expect([...waiting, ...others].map((client) => client.isClosed())).toEqual([
      ...[true, false, false, false],
      ...[false, false],
    ])
    const rests = waiting.at(-1)
    expect(await isKept(front)).toBe(true)
    await rests?.closed()
    for (const name of ['2', '3']) await front.answer(name)
    for (const [index, name] of ['2', '3'].entries())
      expect(await waiting[index + 1]?.answers(1)).toEqual([name])
  })

  it('take the place of a token that drips through a trusted proxy, not of the one whose turn came later', async () => {
    const front = await serveFront({ trustsProxy: () => true, bounds: { connections: 2 } })
    const [pooled, slow] = [await front.open(), await front.open()]
    pooled.send(get('/partner/a', forwardedFor('192.0.2.1')))
    await pooled.answers(1)
    slow.send(post('/echo', 'half', forwardedFor('192.0.2.2')).slice(0, -2))
    await front.wasAsked('/echo')
    pooled.send(get('/wait/1', forwardedFor('192.0.2.1')))
    await front.wasAsked('/wait/1')
    expect(await isKept(front, undefined, forwardedFor('192.0.2.3'))).toBe(true)
    await slow.closed()
    await front.answer('1')
    expect(await pooled.answers(2)).toEqual(['a', '1'])
  })

  it('take the place of a connection of a trusted proxy that rests, whoever has asked on it before', async () => {
    const front = await serveFront({ trustsProxy: () => true, bounds: { connections: 2, kept: 0 } })
    const [first, second] = [await front.open(), await front.open()]
    for (const client of [first, second]) {
      client.send(get('/partner/a', forwardedFor('192.0.2.1')))
      await client.answers(1)
    }
    // It rests no longer, though its body is slow.
    first.send(post('/echo', 'half', forwardedFor('192.0.2.2')).slice(0, -2))
    await front.wasAsked('/echo')
    expect(await isKept(front, undefined, forwardedFor('192.0.2.3'))).toBe(true)
    await second.closed()
    first.send('lf')
    expect(await first.answers(2)).toEqual(['a', 'half'])
  })

  it('are closed when each place is the only one of a partner', async () => {
    const front = await serveFront({ bounds: { connections: 2 } })
    for (const partner of ['a', 'b']) {
      const client = await front.open()
      client.send(get(`/partner/${partner}`))
      await client.answers(1)
    }
    expect(await isKept(front)).toBe(false)
    expect(front.cut).toEqual(['all'])
  })
})

describe('bytes that clients do not read', () => {
  const [BOUND, UNBOUNDED] = [20 * 1024 * 1024, Number.POSITIVE_INFINITY]

  it.each([
    ['in all', { unreadBytes: BOUND, unreadOfNetwork: UNBOUNDED }],
    ['of a network', { unreadBytes: UNBOUNDED, unreadOfNetwork: BOUND }],
  ])('are bounded %s: the connections with the most are closed', async (_, bounds) => {
    const front = await serveFront({ bounds })
    const [small, large, larger] = [await front.open(), await front.open(), await front.open()]
    const body = 'x'.repeat(10_000)
    // Its second request waits, so it occupies some bytes, too.
    small.send(get('/wait/1') + post('/echo', body))
    for (const client of [large, larger]) client.socket.pause()
    large.send(get('/large'))
    await until('one is asked', () => front.asked.includes('/large'))
    await front.clock.wind(2_000)
    expect(front.cut).toEqual([])
    larger.send(get('/large'))
    await until('both are asked', () => front.asked.filter((path) => path === '/large').length === 2)
    await front.clock.wind(2_000)
    expect(front.cut).toEqual(['unread'])
    for (const client of [large, larger]) client.socket.resume()
    await until('one is closed', () => large.isClosed() || larger.isClosed())
    await front.answer('1')
    expect(await small.answers(2)).toEqual(['1', body])
    await settle()
    expect(large.isClosed() && larger.isClosed()).toBe(false)
  })

  it.each([
    ['of one client', '192.0.2.1', ['unread']],
    ['of two clients', '198.51.100.2', []],
  ])('are counted by client behind a trusted proxy: %s', async (_, second, cut) => {
    const front = await serveFront({
      trustsProxy: () => true,
      bounds: { unreadBytes: UNBOUNDED, unreadOfNetwork: BOUND },
    })
    for (const address of ['192.0.2.1', second]) {
      const client = await front.open()
      client.socket.pause()
      client.send(get('/large', forwardedFor(address)))
    }
    await until('both are asked', () => front.asked.length === 2)
    await settle()
    await front.clock.wind(2_000)
    expect(front.cut).toEqual(cut)
  })
})
