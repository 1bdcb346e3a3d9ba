import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { serveMqttOverWebSocket } from '../../../../server/mqtt/listeners.ts'
import { createTestApi } from '../../../support/api.ts'
import { answerIn, answersIn, LONG, type RawHttp, serveHttp } from '../../../support/http/raw-http.ts'
import { until } from '../../../support/wait.ts'

/** Every request takes longer on a machine that stands still for a moment: what is asserted must hold then, too. */
const PATIENCE = { headersMs: 200, requestMs: 300, stalledMs: 450, lookEveryMs: 20 }
const HEAD = 'POST /api/v1/partner/auth/token HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n'
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n'

async function world(patience = PATIENCE) {
  const api = createTestApi()
  const { server, open } = await serveHttp(api, patience)
  /** One request may be late, and get 408 or nothing; a server that is alive answers another one. */
  const isAlive = () =>
    until('an answer', async () => {
      const connection = open()
      connection.send(HEALTH)
      return (await connection.closed).startsWith('HTTP/1.1 200 ')
    })
  return { api, server, open, isAlive }
}

/** Sends one byte every few milliseconds while the connection is open. */
function drip({ socket }: RawHttp, byte: string) {
  const timer = setInterval(() => socket.write(byte), 5)
  onTestFinished(() => clearInterval(timer))
}

async function expectTimeout(connection: RawHttp) {
  const answer = answerIn(await connection.closed)
  expect(answer.status).toBe(408)
  expect(JSON.parse(answer.body)).toMatchObject({
    ...{ code: 40800, error: 'REQUEST_TIMEOUT' },
    requestId: answer.headers.get('x-request-id'),
  })
  expect(answer.headers.get('connection')).toBe('close')
}

it.each([
  ['says nothing at all', '', ''],
  ['stops within its headers', 'GET /healthz HTTP/1.1\r\nHo', ''],
  ['sends its headers byte by byte', 'GET /healthz HTTP/1.1\r\nHost: hub\r\nX: ', 'x'],
  ['stops within its body', `${HEAD}Content-Length: 100\r\n\r\n{`, ''],
  ['sends its body byte by byte', `${HEAD}Content-Length: 10000\r\n\r\n{`, 'x'],
  ['stops within a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n10\r\n{`, ''],
  ['never says that it will continue', `${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`, ''],
])('a client that %s is disconnected with 408', async (_, start, byte) => {
  const { open, isAlive } = await world()
  const connection = open()
  connection.send(start)
  if (byte !== '') drip(connection, byte)
  if (start.includes('Expect')) {
    const statuses = answersIn(await connection.closed).map(({ status }) => status)
    // Without the 100 when its headers were too late already.
    expect([[100, 408], [408]]).toContainEqual(statuses)
  } else await expectTimeout(connection)
  expect(await isAlive()).toBe(true)
})

it('a client that is idle after its response is disconnected without an error', async () => {
  const { server, open } = await world(LONG)
  server.keepAliveTimeout = 50
  server.keepAliveTimeoutBuffer = 0
  const connection = open()
  connection.send(HEALTH.replace('close', 'keep-alive'))
  expect(answerIn(await connection.closed).status).toBe(200)
})

it('a client that does not read its response is disconnected, and delays nobody meanwhile', async () => {
  const { server, open, isAlive } = await world({ ...LONG, stalledMs: PATIENCE.stalledMs })
  const accepted = once(server, 'connection')
  const connection = open()
  const [socket] = await accepted
  const closed = once(socket, 'close')
  connection.socket.pause()
  // More than the buffers of both ends hold.
  connection.send('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: hub\r\n\r\n'.repeat(20))
  expect(await isAlive()).toBe(true)
  await closed
  expect(await isAlive()).toBe(true)
})

it('a silent device on a WebSocket is not treated as a client that does not read', async () => {
  const { server, open } = await world()
  const served: Duplex[] = []
  const broker = {
    admit: () => ({ address: '127.0.0.1', loggedIn: () => undefined, reset: () => undefined }),
    serve: (stream: Duplex) => void served.push(stream),
    refused: () => undefined,
  }
  serveMqttOverWebSocket(server, { broker, refuse: () => undefined })
  // A handshake that is late gets 408.
  const device = await until('the handshake', async () => {
    const one = open()
    one.send(
      'GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n',
    )
    await until('its answer', () => one.heard() !== '' || one.socket.destroyed)
    return one.heard().startsWith('HTTP/1.1 101 ') && one
  })
  // They outlast `stalledMs`.
  for (let later = 0; later < 4; later += 1) await expectTimeout(open())
  expect([served.at(-1)?.destroyed, device.socket.destroyed]).toEqual([false, false])
})

it('a client that disconnects within its body causes no error of the hub', async () => {
  const { api, server, open, isAlive } = await world(LONG)
  for (const length of ['Content-Length: 100\r\n', 'Transfer-Encoding: chunked\r\n']) {
    const { send, socket } = open()
    const asked = once(server, 'request')
    send(`${HEAD}${length}\r\n2`)
    await asked
    socket.resetAndDestroy()
  }
  await until('the two requests in the log', () => api.log.filter((line) => line.includes('auth/token'))[1])
  expect(api.log.join('')).not.toContain('request failed')
  expect(api.log.filter((line) => line.includes('auth/token')).join('')).not.toMatch(/"status":5/)
  expect(await isAlive()).toBe(true)
})

it('hundreds of connections without a request delay nobody, and are closed', async () => {
  const { open, isAlive } = await world({ ...PATIENCE, headersMs: 1_000, requestMs: 1_000, stalledMs: 2_000 })
  // As many as one network may have, less those that ask whether the server is alive.
  const many = Array.from({ length: 490 }, open)
  await Promise.all(many.map(({ socket }) => once(socket, 'connect')))
  for (const { send } of many) send('POST / HTTP/1.1\r\nX: ')
  expect(await isAlive()).toBe(true)
  const said = await Promise.all(many.map(({ closed }) => closed))
  expect(said.every((text) => text.startsWith('HTTP/1.1 408 '))).toBe(true)
  expect(await isAlive()).toBe(true)
})
