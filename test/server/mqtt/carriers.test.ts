import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornDevice, connectDevice, until } from '../../support/mqtt-device.ts'

const webSocketUrl = (http: string) => `${http.replace('http', 'ws')}/mqtt`

it('carries MQTT over WebSocket at /mqtt on the HTTP port', async () => {
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

const upgrade = (path: string, protocol: string) =>
  [
    `GET ${path} HTTP/1.1`,
    ...['Host: hub', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Sec-WebSocket-Protocol: ${protocol}`, '', ''],
  ].join('\r\n')

function open(http: string) {
  const { hostname, port } = new URL(http)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  return socket
}

it.each([
  ['/elsewhere', 'mqtt', '404'],
  ['/mqtt', 'chat', '400'],
])('refuses an upgrade of %s with the protocol %s by %s', async (path, protocol, status) => {
  const hub = await startTestHub()
  const socket = open(hub.http)
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  socket.write(upgrade(path, protocol))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answer).toContain(`HTTP/1.1 ${status}`)
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

it('stops at once although a device is connected over WebSocket', async () => {
  const hub = await startTestHub()
  const born = await bornDevice(webSocketUrl(hub.http), await hub.device('SB-0001'))
  const startedAt = Date.now()
  await hub.stop()
  await until('the end of the connection', () => born.closed)
  expect(Date.now() - startedAt).toBeLessThan(4_000)
})

it('carries MQTT over TLS', async ({ skip }) => {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { encoding: 'utf8' },
  )
  skip(made.error !== undefined, 'openssl is not installed, so there is no certificate to serve')
  expect(made.status).toBe(0)
  const hub = await startTestHub({
    env: { HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: cert, HUB_TLS_KEY: key },
  })
  const url = String(hub.mqtts)
  expect(url).toMatch(/^mqtts:/)
  const born = await bornDevice(url, await hub.device('SB-0001'), { rejectUnauthorized: false })
  expect(born.closed).toBe(false)
})
