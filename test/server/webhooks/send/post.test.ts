import { EventEmitter, once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NO_NETWORK, readNetworks } from '../../../../server/platform/net/address.ts'
import type { Resolve } from '../../../../server/webhooks/address.ts'
import { createPost, limitExtras, POST_MS } from '../../../../server/webhooks/send/post.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { until } from '../../../support/wait.ts'
import { type Answer, answerWith, startReceiver } from '../../../support/webhooks/receiver.ts'

const LOOPBACK = readNetworks('127.0.0.0/8') ?? NO_NETWORK
const NO_NAMES: Resolve = async () => {
  throw new Error('no such name')
}

function createPoster({ allow = LOOPBACK, resolve = NO_NAMES, clock = createVirtualClock() } = {}) {
  const poster = createPost({ allow, resolve, clock, version: '1.2.3' })
  onTestFinished(poster.close)
  const stop = new AbortController()
  const send = (url: string, body = '{"a":"Đã"}') =>
    poster.post({ url, headers: { 'webhook-id': 'evt_1' }, body }, stop.signal)
  return { send, stop }
}

/** A server that sends these bytes for each request, and then ends the connection. */
async function startRaw(reply: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const answered = (status: number, reply = '', retryAfterMs?: number) => ({
  ...{ outcome: 'answered', status, error: undefined, reply, retryAfterMs },
})

const NO_REPLY = {
  outcome: 'unreachable',
  error: 'No HTTP reply came: check the address, port, firewall and TLS of the endpoint.',
}
const NO_PUBLIC_ADDRESS = 'The host name does not lead to public addresses alone.'

describe('one request to an endpoint', () => {
  it('has the headers and the bytes that are asked for', async () => {
    const receiver = await startReceiver(answerWith(200, {}, 'fine'))
    expect(await createPoster().send(receiver.url)).toEqual(answered(200, 'fine'))
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.received
    expect({ path, body }).toEqual({ path: '/hook', body: '{"a":"Đã"}' })
    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'user-agent': 'Soundbox-Hub/1.2.3', 'webhook-id': 'evt_1' },
      ...{ host: new URL(receiver.url).host, 'content-length': '12' },
    })
  })

  it('is over at once when the endpoint switches protocols', async () => {
    const reply = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    expect(await createPoster().send(await startRaw(reply))).toEqual(answered(101))
  })

  it.each([
    ['a new connection', false, 1],
    // Its sessions were counted from its first request on.
    ['a connection that was kept', true, 0],
  ])('%s that offers more and more TLS sessions is ended', (_, reusedSocket, ended) => {
    const request = Object.assign(new EventEmitter(), { reusedSocket })
    let destroyed = 0
    const socket = Object.assign(new EventEmitter(), { destroy: () => (destroyed += 1) })
    // It needs the events of both alone.
    limitExtras(request as unknown as ClientRequest, () => undefined)
    request.emit('socket', socket)
    for (let count = 0; count < 8; count += 1) socket.emit('session')
    expect(destroyed).toBe(0)
    socket.emit('session')
    expect(destroyed).toBe(ended)
  })

  it('ends when interim replies do not, and takes a few', async () => {
    const interim = (count: number) => 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(count)
    const end = 'HTTP/1.1 204 No Content\r\n\r\n'
    const { send } = createPoster()
    expect(await send(await startRaw(interim(8) + end))).toEqual(answered(204))
    expect(await send(await startRaw(interim(9) + end))).toMatchObject({
      ...{ outcome: 'unreachable', error: 'The endpoint sends too many interim replies.' },
    })
  })

  it('never follows a redirect', async () => {
    const receiver = await startReceiver(answerWith(302, { location: '/elsewhere' }, 'there'))
    expect(await createPoster().send(receiver.url)).toEqual(answered(302, 'there'))
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    [410, {}, undefined],
    [429, { 'retry-after': '120' }, 120_000],
    [503, { 'retry-after': '7' }, 7_000],
    [500, { 'retry-after': '7' }, undefined],
  ])('tells of status %s with %s', async (status, headers, retryAfterMs) => {
    const receiver = await startReceiver(answerWith(status, headers))
    expect(await createPoster().send(receiver.url)).toEqual(answered(status, '', retryAfterMs))
  })

  it('takes Retry-After as a date', async () => {
    const clock = createVirtualClock()
    const header = new Date(clock.now() + 60_000).toUTCString()
    const receiver = await startReceiver(answerWith(429, { 'retry-after': header }))
    expect(await createPoster({ clock }).send(receiver.url)).toEqual(answered(429, '', 60_000))
  })

  it('reads a few kB of an endless reply, keeps 256 bytes, and closes the connection', async () => {
    const flood: Answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write('ă'.repeat(4_096)));
      }
      response.writeHead(200).on('drain', more)
      more()
    }
    const receiver = await startReceiver(flood)
    expect(await createPoster().send(receiver.url)).toEqual(answered(200, 'ă'.repeat(128)))
    await until('the connection is closed', () => receiver.open() === 0)
  })

  it.each([
    ['a whole character', `${'x'.repeat(255)}ă`, 'x'.repeat(255)],
    ['no control character', 'a\0b\u001b[0m\u007f\u0085\t\r\n', 'a\ufffdb\ufffd[0m\ufffd\ufffd\t\r\n'],
    ['control characters', '\u0001'.repeat(300), '\ufffd'.repeat(85)],
    ['bytes that are no UTF-8', Buffer.alloc(300, 0xff), '\ufffd'.repeat(85)],
  ])('keeps at most 256 bytes of text: %s', async (_, body, kept) => {
    const receiver = await startReceiver((response) => void response.writeHead(200).end(body))
    const result = await createPoster().send(receiver.url)
    expect(result?.reply).toBe(kept)
  })

  it('takes a status for the answer, however the reply ends', async () => {
    const cutOff = await startReceiver((response, _, socket) => {
      response.writeHead(200, { 'content-length': '100' }).write('part')
      response.socket?.write('', () => socket.resetAndDestroy())
    })
    expect(await createPoster().send(cutOff.url)).toMatchObject({ outcome: 'answered', status: 200 })
    const early = await startRaw('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\npart')
    expect(await createPoster().send(early)).toEqual(answered(201, 'part'))
  })

  it.each(['', 'SSH-2.0-OpenSSH_9.6\r\n', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`])(
    'fails when the endpoint sends %j, with the same sentence as when nobody listens',
    async (reply) => {
      expect(await createPoster().send(await startRaw(reply))).toMatchObject(NO_REPLY)
    },
  )

  it('fails when nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    expect(await createPoster().send(`http://127.0.0.1:${port}/`)).toMatchObject(NO_REPLY)
  })

  it('gives up after 15 s in all, and closes the connection', async () => {
    const clock = createVirtualClock()
    const receiver = await startReceiver(() => undefined)
    const result = createPoster({ clock }).send(receiver.url)
    await until('the request is there', () => receiver.received.length === 1)
    await clock.wind(POST_MS)
    expect(await result).toMatchObject({ outcome: 'timeout', status: undefined })
    await until('the connection is closed', () => receiver.open() === 0)
    expect(receiver.received).toHaveLength(1)
  })

  it('takes the status of a reply that does not end within 15 s', async () => {
    const clock = createVirtualClock()
    const receiver = await startReceiver((response) => void response.writeHead(200).write('drip'))
    const result = createPoster({ clock }).send(receiver.url)
    await until('the request is there', () => receiver.received.length === 1)
    let isThere = false
    void result.then(() => {
      isThere = true
    })
    await until('the reply is over', async () => {
      await clock.wind(POST_MS)
      return isThere
    })
    expect(await result).toEqual(answered(200, 'drip'))
  })

  it('gives up when no address is found within 15 s', async () => {
    const clock = createVirtualClock()
    const { send } = createPoster({ clock, resolve: () => new Promise(() => undefined) })
    const result = send('https://slow.example/')
    await clock.wind(POST_MS)
    expect(await result).toMatchObject({ outcome: 'timeout' })
  })

  it('is stopped by its signal', async () => {
    const receiver = await startReceiver(() => undefined)
    const { send, stop } = createPoster()
    const result = send(receiver.url)
    await until('the request is there', () => receiver.received.length === 1)
    stop.abort()
    expect(await result).toBeUndefined()
    await until('the connection is closed', () => receiver.open() === 0)
    expect(await send(receiver.url)).toBeUndefined()
  })
})

describe('the address of an endpoint', () => {
  it.each([
    ['http://127.0.0.1:8080/', /names a loopback|plain http/],
    ['https://127.0.0.1/', /names a loopback address/],
    ['https://[::1]/', /names a loopback address/],
    ['https://[::ffff:7f00:1]/', /names an IPv4-mapped address/],
    ['https://127.0.0.1:22/', /must have no port/],
    ['https://localhost/', /names localhost/],
    ['https://u:p@example.com/', /user name/],
    ['nothing', /must be a URL/],
  ])('%s is refused before any connection', async (url, why) => {
    const result = await createPoster({ allow: NO_NETWORK }).send(url)
    expect(result).toMatchObject({ outcome: 'refused', status: undefined, error: expect.stringMatching(why) })
  })

  it.each([
    [['127.0.0.1']],
    [['93.184.215.14', '127.0.0.1']],
    [['10.0.0.1', '93.184.215.14']],
    [['64:ff9b::7f00:1']],
    [['fe80::1%lo']],
  ])(
    'is refused when its name leads to %s, with the sentence of a name that is not there',
    async (addresses) => {
      const { send } = createPoster({ allow: NO_NETWORK, resolve: async () => addresses })
      expect(await send('https://a.example/')).toMatchObject({
        outcome: 'refused',
        error: NO_PUBLIC_ADDRESS,
      })
    },
  )

  it('is the one that was tested, however often the name service changes its mind', async () => {
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    const asked: string[] = []
    const rebinds: Resolve = async (host) => {
      asked.push(host)
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.1', '169.254.169.254']
    }
    const { send } = createPoster({ resolve: rebinds })
    const url = `http://a.example:${port}/`
    receiver.answer = (response) => void response.writeHead(204, { connection: 'close' }).end()
    expect(await send(url)).toMatchObject({ status: 204 })
    expect(receiver.received[0]?.headers.host).toBe(`a.example:${port}`)
    expect(await send(url)).toMatchObject({ outcome: 'refused' })
    // Once for each connection: what was tested is what is connected to.
    expect(asked).toEqual(['a.example', 'a.example'])
    expect(receiver.received).toHaveLength(1)
  })

  it('may be one of several: the next is tried when one does not answer', async () => {
    const receiver = await startReceiver()
    const { send } = createPoster({ resolve: async () => ['127.0.0.9', '127.0.0.1'] })
    expect(await send(`http://a.example:${new URL(receiver.url).port}/`)).toMatchObject({ status: 204 })
  })

  it('has none: that is a failure of the delivery', async () => {
    const failure = { outcome: 'unreachable', error: NO_PUBLIC_ADDRESS }
    expect(await createPoster().send('https://nowhere.example/')).toMatchObject(failure)
    expect(await createPoster({ resolve: async () => [] }).send('https://nowhere.example/')).toMatchObject(
      failure,
    )
  })
})
