import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { settle } from '../../../support/clock.ts'
import { until } from '../../../support/wait.ts'
import { get, post, serveFront } from './front.ts'

/** Longer than a request may keep its slot. */
const LONG_MS = 400
/** An incomplete request: its body is on its way. */
const HALF = 'POST /echo HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\n\r\nha'

describe('a slot', () => {
  it('is given to each partner in turn', async () => {
    const { open, asked, wasAsked, answer } = await serveFront({ slots: 1 })
    const crowd = await Promise.all([1, 2, 3].map(() => open()))
    const other = await open()
    for (const [client, partner] of [...crowd.map((one) => [one, 'a'] as const), [other, 'b'] as const]) {
      client.send(get(`/partner/${partner}`))
      await client.answers(1)
    }
    asked.length = 0
    for (const [index, client] of crowd.entries()) {
      client.send(get(`/wait/a${index}`))
      await wasAsked('/wait/a0')
      await settle()
    }
    other.send(get('/wait/b'))
    await settle()
    expect(asked).toEqual(['/wait/a0'])
    await answer('a0')
    // The second of `a` has waited for longer, so it comes first; then it is the turn of `b`.
    await answer('a1')
    await wasAsked('/wait/b')
    expect(asked).toEqual(['/wait/a0', '/wait/a1', '/wait/b'])
    await answer('b')
    await answer('a2')
  })

  it('is given to each network in turn as long as there is no good token', async () => {
    const { open, asked, wasAsked, answer } = await serveFront({ slots: 1 })
    const crowd = await Promise.all([1, 2, 3].map(() => open('127.0.0.2')))
    const other = await open('127.0.0.3')
    for (const [index, client] of crowd.entries()) {
      client.send(get(`/wait/a${index}`))
      await wasAsked('/wait/a0')
      await settle()
    }
    other.send(get('/wait/b'))
    await settle()
    await answer('a0')
    await answer('a1')
    await wasAsked('/wait/b')
    expect(asked).toEqual(['/wait/a0', '/wait/a1', '/wait/b'])
    await answer('b')
    await answer('a2')
  })

  it('is free for others while a request waits for something, which is answered without one', async () => {
    const { server, open, wasAsked, answer } = await serveFront({ slots: 1 })
    const [reader, other] = [await open(), await open()]
    const socket = once(server, 'request').then(([incoming]) => incoming.socket)
    reader.send(get('/rest/events'))
    await wasAsked('/rest/events')
    // For so long, it is not taken for a client that reads nothing.
    expect((await socket).timeout).toBe(server.timeout + 20_000)
    other.send(get('/wait/b'))
    await wasAsked('/wait/b')
    await answer('events')
    await reader.answers(1)
    await answer('b')
    await other.answers(1)
  })

  it('tells a request that waits for something when its client sends no more', async () => {
    const { open, wasAsked } = await serveFront()
    const client = await open()
    client.send(get('/rest/first'))
    await wasAsked('/rest/first')
    client.socket.end()
    expect(await client.answers(1)).toEqual(['first'])
    await client.closed()
    const other = await open()
    other.socket.end(get('/rest/second'))
    expect(await other.answers(1)).toEqual(['second'])
  })

  it('is given by the address that a trusted proxy tells for each request', async () => {
    const { open, asked, wasAsked, answer } = await serveFront({ slots: 1, trustsProxy: () => true })
    for (const [index, address] of ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2'].entries()) {
      const client = await open()
      client.send(get(`/wait/${index}`, `X-Forwarded-For: ${address}\r\n`))
      await wasAsked('/wait/0')
      await settle()
    }
    await answer('0')
    await answer('1')
    await wasAsked('/wait/3')
    expect(asked).toEqual(['/wait/0', '/wait/1', '/wait/3'])
    await answer('3')
    await answer('2')
  })

  it('goes to the next when a request takes long', async () => {
    const { open, clock, asked, wasAsked, answer } = await serveFront({ slots: 1 })
    const [slow, quick] = [await open(), await open()]
    slow.send(get('/wait/slow'))
    await wasAsked('/wait/slow')
    quick.send(get('/now/1'))
    await settle()
    expect(asked).toEqual(['/wait/slow'])
    await clock.wind(LONG_MS)
    await quick.answers(1)
    await answer('slow')
    expect(await slow.answers(1)).toEqual(['slow'])
    // It has come back once, not twice.
    slow.send(get('/wait/slow2'))
    await wasAsked('/wait/slow2')
    quick.send(get('/now/2'))
    await settle()
    expect(asked).not.toContain('/now/2')
    await answer('slow2')
    expect(await quick.answers(2)).toEqual(['1', '2'])
  })

  it('goes to the next while the rest of a body is on its way, and is taken again for it', async () => {
    const { open, wasAsked, answer } = await serveFront({ slots: 1 })
    const [slow, other] = [await open(), await open()]
    slow.send(HALF)
    await wasAsked('/echo')
    other.send(get('/wait/1'))
    await wasAsked('/wait/1')
    slow.send('lf')
    await settle()
    expect(slow.heard()).toBe('')
    await answer('1')
    expect(await slow.answers(1)).toEqual(['half'])
  })

  it('goes to the next when the client leaves', async () => {
    const { open, asked, wasAsked } = await serveFront({ slots: 1 })
    const [first, second, third] = [await open(), await open(), await open()]
    first.send(get('/wait/1'))
    await wasAsked('/wait/1')
    second.send(get('/wait/2'))
    await settle()
    third.send(get('/now/3'))
    await settle()
    expect(asked).toEqual(['/wait/1'])
    second.socket.resetAndDestroy()
    await settle()
    first.socket.resetAndDestroy()
    expect(await third.answers(1)).toEqual(['3'])
    expect(asked).not.toContain('/wait/2')
  })
})

describe('a connection that is held off', () => {
  it('has its next request read when the time has passed', async () => {
    const { open, server, clock } = await serveFront()
    const parsed: unknown[] = []
    server.on('request', ({ url }) => parsed.push(url))
    const [client, other] = [await open(), await open()]
    client.send(get('/off/3') + get('/now/2') + get('/now/3'))
    expect(await client.answers(1)).toEqual(['3'])
    other.send(get('/now/other'))
    await other.answers(1)
    await clock.wind(2_900)
    expect(parsed).toEqual(['/off/3', '/now/other'])
    await clock.wind(200)
    expect(await client.answers(3)).toEqual(['3', '2', '3'])
  })

  it('has it read before Node closes a connection that rests', async () => {
    const { open, clock } = await serveFront()
    const client = await open()
    client.send(get('/off/600') + get('/now/2'))
    await client.answers(1)
    await clock.wind(4_900)
    expect(await client.answers(2)).toEqual(['600', '2'])
  })

  it('waits with a request that is parsed already, too', async () => {
    const { open, clock, asked } = await serveFront()
    const client = await open()
    // The end of the body and the next head come in one piece.
    client.send('POST /off/3 HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\n\r\n')
    await until('the request is asked', () => asked.length === 1)
    client.send(`body${get('/now/2')}`)
    await client.answers(1)
    await clock.wind(2_900)
    expect(asked).toEqual(['/off/3'])
    await clock.wind(200)
    expect(await client.answers(2)).toEqual(['3', '2'])
  })

  it('may still send the rest of a body', async () => {
    const { open, server, clock } = await serveFront()
    const client = await open()
    const refused = new Promise<IncomingMessage>((resolve) => server.once('request', resolve))
    client.send('POST /off/3 HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\n\r\n')
    await client.answers(1)
    client.send('body')
    const { complete } = await refused.then((request) => until('the body', () => request.complete && request))
    expect(complete).toBe(true)
    expect(clock.elapsed()).toBe(0)
  })

  it('goes on at once when it is a trusted proxy', async () => {
    const { open } = await serveFront({ trustsProxy: () => true })
    const client = await open()
    client.send(get('/off/3') + post('/echo', 'other'))
    expect(await client.answers(2)).toEqual(['3', 'other'])
  })
})
