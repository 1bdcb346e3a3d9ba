import { describe, expect, it } from 'vitest'
import { settle } from '../../../support/clock.ts'
import { until } from '../../../support/wait.ts'
import { get, serveFront } from './front.ts'

/** Connects and learns whether the server keeps the connection. */
async function isKept(front: Awaited<ReturnType<typeof serveFront>>, from?: string): Promise<boolean> {
  const client = await front.open(from)
  client.send(get('/now/kept'))
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

  it('of a trusted proxy have the bound in all alone', async () => {
    const front = await serveFront({
      trustsProxy: () => true,
      bounds: { ofNetwork: 1, accepts: { perSecond: 1, burst: 1 } },
    })
    for (let more = 0; more < 5; more += 1) expect(await isKept(front)).toBe(true)
    expect(front.cut).toEqual([])
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

  it('are closed when all are taken by partners and by requests under way', async () => {
    const front = await serveFront({ bounds: { connections: 2 } })
    const [partner, stranger] = [await front.open(), await front.open()]
    partner.send(get('/partner/a'))
    await partner.answers(1)
    stranger.send(get('/wait/1'))
    await front.wasAsked('/wait/1')
    expect(await isKept(front)).toBe(false)
    expect(front.cut).toEqual(['all'])
    await front.answer('1')
    expect(await stranger.answers(1)).toEqual(['1'])
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
    small.send(get('/wait/1'))
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
    expect(await small.answers(1)).toEqual(['1'])
    await settle()
    expect(large.isClosed() && larger.isClosed()).toBe(false)
  })
})
