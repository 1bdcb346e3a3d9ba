import { beforeAll, describe, expect, it } from 'vitest'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import { OPERATOR } from '../../support/actors.ts'
import { withFile } from '../../support/folder.ts'
import { startTestHub, type TestHub } from '../../support/hub.ts'
import {
  bornDevice,
  type ConnectChanges,
  connectDevice,
  type Minted,
  type MqttDevice,
  sidOf,
} from '../../support/mqtt/mqtt-device.ts'
import { connectPacket, openRaw } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'

/** One hub for all of these: whatever one test does to it, the next must find it in order. */
let hub: TestHub
let device: Minted
let neighbour: MqttDevice
const onEnd = withFile()
beforeAll(async () => {
  hub = await startTestHub({ onEnd })
  device = await hub.device('SB-0001')
  neighbour = await bornDevice(hub.mqtt, await hub.device('SB-NEXT'), { onEnd })
})

/** The neighbour on the same hub must not notice anything. */
async function expectNeighbourUnharmed() {
  await neighbour.client.publishAsync(upTopic('SB-NEXT', 'telemetry'), '{}', { qos: 0 })
  await neighbour.client.subscribeAsync(downTopic('SB-NEXT'), { qos: 1 })
  expect(neighbour.closed).toBe(false)
}

describe('sb/1 1.5: a connection is refused', () => {
  const will = (changes: object): ConnectChanges => ({
    will: {
      topic: upTopic('SB-0001', 'will'),
      payload: Buffer.from('{}'),
      qos: 1,
      retain: false,
      ...changes,
    },
  })
  it.each<[string, ConnectChanges]>([
    ['with a will that says goodbye', will({ payload: Buffer.from(`{"sid":"${sidOf(1)}","reason":"bye"}`) })],
    ['with a wrong password', { password: 'A'.repeat(43) }],
    [
      "with another device's name and its own password",
      {
        clientId: 'SB-NEXT',
        username: 'SB-NEXT',
        ...will({
          topic: upTopic('SB-NEXT', 'will'),
          payload: Buffer.from(`{"sid":"${sidOf(1)}","reason":"lost"}`),
        }),
      },
    ],
    ['with a persistent session', { clean: false }],
    ['over MQTT 5', { protocolVersion: 5 }],
  ])('%s', async (_, changes) => {
    await expect(connectDevice(hub.mqtt, device, changes)).rejects.toThrow()
    await expectNeighbourUnharmed()
    expect((await connectDevice(hub.mqtt, device)).closed).toBe(false)
  })

  it('sb/1 2.4: when the device was revoked', async () => {
    const revoked = await hub.device('SB-GONE')
    await hub.storage.devices.revoke(OPERATOR, revoked.serial, Date.now())
    await expect(connectDevice(hub.mqtt, revoked)).rejects.toMatchObject({ code: 4 })
  })
})

describe('a connection is closed', () => {
  const acts: [string, (device: MqttDevice) => unknown][] = [
    ["for another device's topic", ({ client }) => client.subscribe(downTopic('SB-NEXT'))],
    ['for QoS 2', ({ client }) => client.publish(upTopic('SB-0001', 'ack'), '{}', { qos: 2 })],
    [
      'sb/1 5.3: for a birth with a bad MAC',
      ({ client }) =>
        client.publish(upTopic('SB-0001', 'birth'), `{"t":"birth","mac":"${'A'.repeat(22)}"}`, { qos: 1 }),
    ],
    [
      'for an ack with a bad MAC',
      ({ client }) =>
        client.publish(upTopic('SB-0001', 'ack'), `{"t":"ack","mac":"${'A'.repeat(22)}"}`, { qos: 1 }),
    ],
    [
      'for settings without a MAC',
      ({ client }) => client.publish(upTopic('SB-0001', 'settings'), '{}', { qos: 1 }),
    ],
    ['for a birth of another session', (device) => device.birth({ sid: sidOf(99) }).catch(() => undefined)],
    [
      'for a packet over 2 KiB',
      ({ client }) => client.publish(upTopic('SB-0001', 'telemetry'), 'x'.repeat(2_048)),
    ],
  ]
  it.each(acts)('%s', async (_, act) => {
    const born = await bornDevice(hub.mqtt, device)
    act(born)
    await until('the end of the connection', () => born.closed)
    await expectNeighbourUnharmed()
    await bornDevice(hub.mqtt, device, { sid: sidOf(2) })
  })

  it('sb/1 4.2: for a birth before the subscription', async () => {
    const connected = await connectDevice(hub.mqtt, device)
    connected.birth().catch(() => undefined)
    await until('the end of the connection', () => connected.closed)
  })

  it('sb/1 4.2: for an ack before the birth', async () => {
    const connected = await connectDevice(hub.mqtt, device)
    connected.ack(await neighbour.next('welcome'), 'received').catch(() => undefined)
    await until('the end of the connection', () => connected.closed)
  })
})

describe('sb/1 8.1: a birth that claims to have played more than half of all numbers', () => {
  const claim = 0x8000_0000

  it('is refused, because that is an erased memory', async () => {
    const connected = await connectDevice(hub.mqtt, device)
    await connected.client.subscribeAsync(downTopic('SB-0001'), { qos: 1 })
    connected.birth({ played: claim }).catch(() => undefined)
    await until('the end of the connection', () => connected.closed)
  })

  it('is taken when the hub itself has numbered so high', async () => {
    const high = await bornDevice(hub.mqtt, device)
    await high.birth({ played: claim - 1 })
    await until('a number above', () => high.heard.some(({ n }) => n >= claim))
    await high.birth({ played: claim })
    expect(high.closed).toBe(false)
    await expectNeighbourUnharmed()
  })
})

describe('raw bytes', () => {
  const HUGE = Buffer.from([0x10, 0x80, 0xc8, 0xaf, 0x2f, 0x00, 0x04])
  it.each([
    ['a CONNECT that announces 100 MB', HUGE],
    ['no MQTT at all', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a PUBLISH before the CONNECT', Buffer.from([0x30, 0x03, 0x00, 0x01, 0x61])],
    ['a packet of type 15', Buffer.from([0xf0, 0x00])],
  ])('close the connection at once: %s', async (_, bytes) => {
    const raw = await openRaw(hub.mqtt)
    raw.write(bytes)
    await raw.untilClosed()
    expect(raw.received.filter((packet) => packet.cmd !== 'connack')).toEqual([])
    await expectNeighbourUnharmed()
  })

  it('sb/1 1.4: close the connection when a device announces 100 MB after its CONNECT', async () => {
    const raw = await openRaw(hub.mqtt)
    raw.send(connectPacket(device, sidOf(1)))
    expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
    raw.write(Buffer.from([0x30, 0x80, 0xc8, 0xaf, 0x2f, 0x00]))
    await raw.untilClosed()
    await expectNeighbourUnharmed()
  })

  it('that come one by one make a connection like any other', async () => {
    const raw = await openRaw(hub.mqtt)
    const { generate } = (await import('mqtt-packet')).default
    for (const byte of generate(connectPacket(device, sidOf(1)))) raw.write(Buffer.from([byte]))
    expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
  })

  it('of a second CONNECT close the connection', async () => {
    const raw = await openRaw(hub.mqtt)
    raw.send(connectPacket(device, sidOf(1)))
    await raw.next('connack')
    raw.send(connectPacket(device, sidOf(2)))
    await raw.untilClosed()
  })
})
