import { connect } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { foreignOrigin } from '../../../server/mqtt/page-origin.ts'
import { createLog } from '../../../server/platform/log.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornDevice, connectDevice } from '../../support/mqtt/mqtt-device.ts'
import { until } from '../../support/wait.ts'

const webSocketUrl = (http: string) => `${http.replace('http', 'ws')}/mqtt`

it('sb/1 1.1: carries MQTT over WebSocket at /mqtt on the HTTP port', async () => {
  const hub = await startTestHub()
  const born = await bornDevice(webSocketUrl(hub.http), await hub.device('SB-0001'))
  expect(await born.next('profile')).toMatchObject({ d: { name: '', qr: '' } })
  expect((await fetch(`${hub.http}/healthz`)).status).toBe(200)
})

it('holds WebSocket connections to the same rules', async () => {
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const url = webSocketUrl(hub.http)
  await expect(connectDevice(url, device, { password: 'A'.repeat(43) })).rejects.toThrow()
  const born = await bornDevice(url, device)
  born.client.publish('sb/1/SB-0001/up/telemetry', 'x'.repeat(4_096))
  await until('the end of the connection', () => born.closed)
  expect((await fetch(`${hub.http}/healthz`)).status).toBe(200)
})

const upgrade = (path: string, protocol: string, ...headers: string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    ...headers,
    ...['Host: hub', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Sec-WebSocket-Protocol: ${protocol}`, '', ''],
  ].join('\r\n')

function open(http: string) {
  const { hostname, port } = new URL(http)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  return socket
}

/** Sends a request as it is; what was answered until `isWhole`, or until the hub closes. */
async function exchange(http: string, request: string, isWhole: (answer: string) => boolean) {
  const socket = open(http)
  let answer = ''
  let closed = false
  socket.on('data', (bytes) => {
    answer += bytes
  })
  socket.on('close', () => {
    closed = true
  })
  socket.write(request)
  await until('an answer', () => closed || isWhole(answer))
  socket.destroy()
  return answer
}

it('refuses an upgrade to MQTT without its protocol, and closes the connection', async () => {
  const hub = await startTestHub()
  const answer = await exchange(hub.http, upgrade('/mqtt', 'chat'), () => false)
  expect(answer).toContain('HTTP/1.1 400')
})

it.each([
  ['http://hub', '400 Bad Request'],
  ['https://hub', '400 Bad Request'],
  ['https://evil.example', '400 Bad Request'],
  ['https://hub.evil.example', '400 Bad Request'],
  ['null', '400 Bad Request'],
  ['file://', '400 Bad Request'],
])('answers a page of %s with %s', async (origin, status) => {
  const hub = await startTestHub()
  const request = upgrade('/mqtt', 'mqtt', `Origin: ${origin}`)
  const answer = await exchange(hub.http, request, (text) => text.includes('\r\n\r\n'))
  expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
})

/** The status that a page of an origin gets from a hub with these settings. */
async function statusOf(env: Record<string, string>, origin: string) {
  const log: Record<string, unknown>[] = []
  const hub = await startTestHub({
    env,
    log: createLog('warn', { write: (line) => void log.push(JSON.parse(line)) }),
  })
  const request = upgrade('/mqtt', 'mqtt', `Origin: ${origin}`)
  const answer = await exchange(hub.http, request, (text) => text.includes('\r\n\r\n'))
  return { status: Number(answer.split(' ')[1]), log }
}

it.each([
  ['https://shop.example', 101],
  ['http://10.0.0.1:81', 101],
  ['http://hub', 400],
  ['http://shop.example', 400],
  ['https://shop.example:444', 400],
  ['https://a.shop.example', 400],
  ['null', 400],
])(
  'HUB_MQTT_ORIGINS takes the origins that it names, besides the own one: %s, %i',
  async (origin, status) => {
    const env = { HUB_MQTT_ORIGINS: 'https://shop.example,http://10.0.0.1:81' }
    expect(await statusOf(env, origin)).toMatchObject({ status })
  },
)

it.each([
  ['http://127.0.0.1', '127.0.0.1', undefined],
  ['https://127.0.0.1', '127.0.0.1', undefined],
  ['http://127.0.0.1:80', '127.0.0.1', undefined],
  ['https://127.0.0.1', '127.0.0.1:443', undefined],
  ['http://localhost:8080', 'localhost:8080', undefined],
  ['http://[::1]:8080', '[::1]:8080', undefined],
  ['http://192.168.1.5:8080', '192.168.1.5:8080', undefined],
  [undefined, 'evil.example', undefined],
  ...[
    ['http://localhost:3000', 'localhost:8080'],
    ['http://127.0.0.1:8080', 'localhost:8080'],
    ['http://192.168.1.6:8080', '192.168.1.5:8080'],
    // The page of a name that leads here for a moment.
    ['http://evil.example:8080', 'evil.example:8080'],
    ['http://evil.example', '127.0.0.1'],
    ['http://evil.example', undefined],
    ['null', 'localhost'],
    ['', 'localhost'],
  ].map(([origin, host]) => [origin, host, origin]),
])('a page of %s that asks the host %s is foreign: %s', (origin, host, foreign) => {
  expect(foreignOrigin({ headers: { origin, host } }, [])).toBe(foreign)
})

it('the log names the origin of a page that was refused, and not without end', async () => {
  const { log } = await statusOf({}, `https://${'e'.repeat(300)}.example`)
  const page = `https://${'e'.repeat(92)}`
  expect(log).toMatchObject([
    { address: '127.0.0.1', why: `a page of ${page}: HUB_MQTT_ORIGINS does not name it` },
  ])
})

it('answers a request that offers another protocol as if it had not', async () => {
  const hub = await startTestHub()
  const h2c =
    'GET /healthz HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n'
  expect(await exchange(hub.http, h2c, (text) => text.includes('ok'))).toContain('HTTP/1.1 200')
  const elsewhere = await exchange(hub.http, upgrade('/elsewhere', 'mqtt'), (text) => text.includes('40400'))
  expect(elsewhere).toContain('HTTP/1.1 404')
})

it.each(['/elsewhere', '/mqtt'])(
  'survives connections that are reset in the middle of an upgrade of %s',
  async (path) => {
    const hub = await startTestHub()
    for (let i = 0; i < 20; i += 1) {
      const socket = open(hub.http)
      await new Promise((resolve) => socket.once('connect', resolve))
      await new Promise((resolve) => socket.write(upgrade(path, 'mqtt'), resolve))
      socket.resetAndDestroy()
    }
    expect((await fetch(`${hub.http}/healthz`)).status).toBe(200)
  },
)

it('stops while a device is connected over WebSocket, without waiting for a timeout', async () => {
  const hub = await startTestHub()
  const born = await bornDevice(webSocketUrl(hub.http), await hub.device('SB-0001'))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await hub.stop()
  await until('the end of the connection', () => born.closed)
})
