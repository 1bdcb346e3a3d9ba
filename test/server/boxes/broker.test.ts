import type { IConnectPacket } from 'mqtt-packet'
import { expect, it, onTestFinished } from 'vitest'
import { createMqttServer } from '../../../server/mqtt/listeners.ts'
import { readNetworks } from '../../../server/platform/net/address.ts'
import { settle } from '../../support/clock.ts'
import { serveBroker } from '../../support/mqtt/broker.ts'
import { FROM_TCP4 } from '../../support/mqtt/proxy-header.ts'
import { openRaw, type RawMqtt } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'
import { mintBox, PASSWORD } from './mint.ts'

/** The broker's listener for boxes, with two boxes. */
async function forBoxes({ from, ...more }: { from?: string } & Parameters<typeof serveBroker>[0] = {}) {
  const mayCome = from === undefined ? undefined : readNetworks(from)
  const served = await serveBroker({
    listen: (deps) => createMqttServer({ ...deps, door: 'boxes', ...(mayCome && { mayCome }) }),
    ...more,
  })
  const { storage, clock } = served
  for (const serial of ['BOX-1', 'BOX-2']) await mintBox(storage, 'hemipay', { serial, at: clock.now() })
  return served
}

const connect = (change: Partial<IConnectPacket> = {}): IConnectPacket => ({
  ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 },
  ...{ clientId: 'factory', username: 'BOX-1', password: Buffer.from(PASSWORD), ...change },
})

async function loggedIn(url: string, change: Partial<IConnectPacket> = {}): Promise<RawMqtt> {
  const raw = await openRaw(url)
  raw.send(connect(change))
  expect(await raw.next('connack')).toMatchObject({ returnCode: 0, sessionPresent: false })
  return raw
}

/** The hub has heard all that was sent before. */
async function heard(raw: RawMqtt) {
  raw.received.length = 0
  raw.send({ cmd: 'pingreq' })
  await raw.next('pingresp')
}

const publish = (topic: string, payload: string) =>
  ({ cmd: 'publish', topic, payload, qos: 1, messageId: 7, dup: false, retain: true }) as const

it.each<[string, Partial<IConnectPacket>]>([
  ['a persistent session', { clean: false }],
  ['MQTT 3.1, and a long client id', { protocolId: 'MQIsdp', protocolVersion: 3, clientId: 'x'.repeat(60) }],
  ['MQTT 3.1 and a persistent session', { protocolId: 'MQIsdp', protocolVersion: 3, clean: false }],
])('admits a box with %s, and the broker goes on', async (_, change) => {
  const { url, said } = await forBoxes()
  const raw = await loggedIn(url, change)
  raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '/LLZN/BOX-1 ', qos: 1 }] })
  await raw.next('suback')
  raw.send(publish('/ota/state ', '1'))
  await raw.next('puback')
  // The next one finds no session.
  await loggedIn(url, change)
  await raw.untilClosed()
  expect(said('the gate failed, connection closed')).toEqual([])
})

it('two boxes with one client id stay connected beside each other', async () => {
  const { url } = await forBoxes()
  const [one, two] = [await loggedIn(url), await loggedIn(url, { username: 'BOX-2' })]
  for (const raw of [one, two]) await heard(raw)
  expect([one.closed, two.closed]).toEqual([false, false])
})

it('the will of a box says nothing: it is not even read', async () => {
  const { url, said } = await forBoxes()
  const telemetry = JSON.stringify({ packet_type: 'device_info', content: { battery_percent: 5 } })
  for (const [index, payload] of [telemetry, '{', 'x'.repeat(200)].entries()) {
    const will = { topic: 'a/b ', payload: Buffer.from(payload), qos: 1, retain: true } as const
    const raw = await loggedIn(url, { will })
    raw.socket.destroy()
    await until('its end', () => said('device disconnected').length > index)
  }
  await settle()
  expect([said('telemetry'), said('a message was ignored')]).toEqual([[], []])
})

it.each([
  ['10.0.0.0/8', 'network'],
  ['127.0.0.0/8', undefined],
])('HUB_BOX_FROM=%s on a connection from 127.0.0.1', async (from, reason) => {
  const { url, refused } = await forBoxes({ from })
  const raw = await openRaw(url)
  raw.send(connect())
  if (reason === undefined) return void (await raw.next('connack'))
  await raw.untilClosed()
  expect([raw.received, refused]).toEqual([[], [reason]])
})

it('HUB_BOX_FROM judges the client that a trusted proxy names', async () => {
  const inside = await forBoxes({ from: '203.0.113.0/24', trusted: '127.0.0.1' })
  const raw = await openRaw(inside.url)
  raw.write(FROM_TCP4)
  raw.send(connect())
  expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
  expect(inside.said('device connected')).toMatchObject([{ serial: 'BOX-1', address: '203.0.113.7' }])
  const without = await openRaw(inside.url)
  without.send(connect())
  await without.untilClosed()
  expect(inside.refused).toEqual(['network'])
})

it('too many connections from one network are turned away, and those that stand stay', async () => {
  const { url, refused } = await forBoxes({ connectsPerSecond: 1 })
  const box = await loggedIn(url)
  const raws = await Promise.all(Array.from({ length: 30 }, () => openRaw(url)))
  await until('the end of some', () => raws.filter(({ closed }) => closed).length >= 15)
  expect(new Set(refused)).toEqual(new Set(['too_often']))
  await heard(box)
})

it('a packet of 2 kB passes, and a larger one ends only its own connection', async () => {
  const { url, refused } = await forBoxes()
  const [one, two] = [await loggedIn(url), await loggedIn(url, { username: 'BOX-2' })]
  one.send(publish('a', 'x'.repeat(2_048 - 1 - 2 - 2 - 1 - 2)))
  await one.next('puback')
  one.send(publish('a', 'x'.repeat(2_048)))
  await one.untilClosed()
  await heard(two)
  expect(refused).toEqual(['too_large'])
})

it('a flood of messages ends only its own connection', async () => {
  const { url, refused } = await forBoxes()
  const [one, two] = [await loggedIn(url), await loggedIn(url, { username: 'BOX-2' })]
  for (let count = 0; count < 600; count += 1) one.send({ ...publish('a', '{}'), qos: 0 })
  await one.untilClosed()
  await heard(two)
  expect(refused).toEqual(['too_many'])
})

it('a publish at QoS 2 ends the connection', async () => {
  const { url } = await forBoxes()
  const raw = await loggedIn(url)
  raw.send({ ...publish('a', '{}'), qos: 2 })
  await raw.untilClosed()
})

it('the listener stops with boxes on it: what they have not confirmed is discarded', async () => {
  const { url, broker } = await forBoxes()
  const raw = await loggedIn(url)
  const failed: string[] = []
  raw.socket.on('error', (error) => failed.push(String(Object(error).code)))
  onTestFinished(() => void raw.socket.destroy())
  await broker.close()
  await raw.untilClosed()
  expect(failed).toEqual(['ECONNRESET'])
})
