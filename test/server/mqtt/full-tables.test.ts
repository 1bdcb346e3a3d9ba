import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { serveMqttOverWebSocket } from '../../../server/mqtt/listeners.ts'
import { listening } from '../../support/listening.ts'
import { serveBroker } from '../../support/mqtt/broker.ts'
import { sidOf } from '../../support/mqtt/mqtt-device.ts'
import { proxiedFrom, proxyHeader } from '../../support/mqtt/proxy-header.ts'
import { connectPacket, openRaw, type RawMqtt } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'

/** Two places of each kind, and a device. */
async function world(changes: Parameters<typeof serveBroker>[0]['devices'] = {}) {
  const places = { ofDevices: 2, others: 2, ofProxies: 2 }
  const broker = await serveBroker({ trusted: '127.0.0.1', places, devices: changes })
  /** A connection from an address behind the proxy. */
  const from = async (address: string) => {
    const before = broker.admitted.length
    const raw = await openRaw(broker.url)
    raw.write(proxiedFrom(address))
    await until('its header is read', () => broker.admitted.length > before)
    return raw
  }
  return { ...broker, from, device: await broker.mint('SB-0001') }
}

const closedOf = (raws: readonly RawMqtt[]) => raws.filter(({ closed }) => closed).length

async function logsIn(raw: RawMqtt, device: Parameters<typeof connectPacket>[0], session = 1) {
  raw.send(connectPacket(device, sidOf(session)))
  expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
}

it('a client that says nothing gives way within its own network, by the address that its proxy names', async () => {
  const { from, device, refused, said } = await world()
  const speaker = await from('203.0.113.7')
  const flood: RawMqtt[] = []
  for (let more = 0; more < 5; more += 1) flood.push(await from('203.0.113.8'))
  await until('the end of what was too much', () => closedOf(flood) === 4)
  expect(refused).toEqual(Array(4).fill('too_many_waiting'))
  expect(said('connection turned away')).toMatchObject(Array(4).fill({ address: '203.0.113.8' }))
  await logsIn(speaker, device)
})

it.each([
  ['no_connect', 'that is no MQTT', Buffer.concat([proxiedFrom('203.0.113.8'), Buffer.of(0xf0, 0)])],
  ['proxy_header', 'with a malformed header', proxyHeader('2211 0000')],
])('a connection that has ended holds no place: %s, for one %s', async (reason, _, bytes) => {
  const { url, refused } = await world()
  for (let more = 0; more < 5; more += 1) {
    const raw = await openRaw(url)
    raw.write(bytes)
    await raw.untilClosed()
  }
  expect(refused).toEqual(Array(5).fill(reason))
})

it('a CONNECT is a stranger until its password is checked', async () => {
  const asked: (() => void)[] = []
  const credentials = () => new Promise<undefined>((resolve) => asked.push(() => resolve(undefined)))
  const { from, device, refused } = await world({ credentials })
  const raws: RawMqtt[] = []
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    const raw = await from(address)
    raw.send(connectPacket(device, sidOf(raws.length)))
    raws.push(raw)
    await until('its password is being checked', () => asked.length === raws.length)
  }
  await until('the end of the oldest', () => raws[0]?.closed)
  expect([closedOf(raws), refused]).toEqual([1, ['too_many_waiting']])
  for (const answer of asked) answer()
  expect(await raws[2]?.next('connack')).toMatchObject({ returnCode: 4 })
})

it('a device that has logged in holds no place, and its network has places of its own from then on', async () => {
  const { from, device, mint, refused } = await world()
  const speakers = [await from('203.0.113.7'), await from('203.0.113.7'), await from('203.0.113.7')]
  await until('the end of what was too much', () => closedOf(speakers) === 1)
  const [first, second] = speakers.filter(({ closed }) => !closed)
  if (!first || !second) throw new Error('both stand')
  await logsIn(first, device)
  await logsIn(second, await mint('SB-0002'))
  const back = await from('203.0.113.7')
  const flood: RawMqtt[] = []
  for (let network = 10; network < 15; network += 1) flood.push(await from(`203.0.113.${network}`))
  await until('the end of what was too much', () => closedOf(flood) === 3)
  await logsIn(back, await mint('SB-0003'))
  expect([first.closed, second.closed, refused]).toEqual([false, false, Array(4).fill('too_many_waiting')])
})

it('connections of which a proxy does not name the client give way to newer ones, and to no client', async () => {
  const { url, from, device, refused, said, clock } = await world()
  const speaker = await from('203.0.113.7')
  const nameless: RawMqtt[] = []
  for (let more = 0; more < 5; more += 1) nameless.push(await openRaw(url))
  await until('the end of what was too much', () => closedOf(nameless) === 3)
  expect(refused).toEqual(Array(3).fill('too_many_waiting'))
  expect(said('connection turned away')).toMatchObject(Array(3).fill({ address: '127.0.0.1' }))
  await logsIn(speaker, device)
  await clock.wind(10_000)
  await until('the end of the others', () => closedOf(nameless) === 5)
  expect(refused.slice(3)).toEqual(['proxy_header', 'proxy_header'])
})

it('a WebSocket without a CONNECT gives way, by the address that the request is from', async () => {
  const { broker, refused, said } = await world()
  const http = createServer()
  serveMqttOverWebSocket(http, {
    broker,
    refuse: (socket) => void socket.destroy(),
    addressOf: ({ headers }) => String(headers['x-forwarded-for']),
  })
  const [host, port] = (await listening(http)).split(':')
  const open = async (address: string) => {
    const socket = connect(Number(port), host)
    onTestFinished(() => void socket.destroy())
    const state = { closed: false, heard: '' }
    socket.on('data', (bytes) => {
      state.heard += bytes
    })
    socket.on('error', () => undefined).on('close', () => Object.assign(state, { closed: true }))
    socket.write(
      `GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Forwarded-For: ${address}\r\n`,
    )
    socket.write('Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n')
    socket.write('Sec-WebSocket-Protocol: mqtt\r\n\r\n')
    await until('the handshake', () => state.heard.startsWith('HTTP/1.1 101') || state.closed)
    return state
  }
  const speaker = await open('203.0.113.7')
  const flood: { closed: boolean }[] = []
  for (let more = 0; more < 4; more += 1) flood.push(await open('203.0.113.8'))
  await until('the end of what was too much', () => flood.filter(({ closed }) => closed).length === 3)
  expect(speaker.closed).toBe(false)
  expect(refused).toEqual(Array(3).fill('too_many_waiting'))
  expect(said('connection turned away')).toMatchObject(Array(3).fill({ address: '203.0.113.8' }))
})
