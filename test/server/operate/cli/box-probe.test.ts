import mqttPacket, { type IConnectPacket, type IPublishPacket } from 'mqtt-packet'
import { expect, it } from 'vitest'
import { startProbe } from '../../../support/mqtt/box-probe.ts'
import { openRaw } from '../../../support/mqtt/raw-mqtt.ts'
import { until } from '../../../support/wait.ts'

const PASSWORD = 'Tr0ub4dor-Secret'

const opening = (changes: Partial<IConnectPacket> = {}): IConnectPacket => ({
  ...{ cmd: 'connect', clientId: 'SN-1', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 },
  ...changes,
})

it('prints what a box of MQTT 3.1 with clean 0 says, and never its password', async () => {
  const probed = await startProbe()
  const box = await probed.box({
    ...{ protocolId: 'MQIsdp', protocolVersion: 3, clean: false, keepalive: 300 },
    ...{ clientId: '123456789012345', username: '123456789012345', password: PASSWORD },
    will: { topic: '/ota/device/connection/123456789012345/state ', payload: '0', qos: 0, retain: true },
  })
  await box.subscribeAsync({ '/ota/pk9/123456789012345/update': { qos: 1 }, two: { qos: 2 } })
  await box.publishAsync('/ota/device/connection/123456789012345/state', '1', { qos: 1, retain: true })
  await box.publishAsync('bytes', Buffer.from([0xff, 0, 1]), { qos: 2 })
  await box.unsubscribeAsync('two')
  await box.endAsync()
  await probed.seen('closed')
  const from = { at: expect.any(String), connection: 1, address: '127.0.0.1' }
  expect(probed.said.slice(1)).toEqual([
    {
      ...{ ...from, event: 'connect', protocol: '3.1', clean: false, keepalive: 300 },
      ...{ clientId: '123456789012345', username: '123456789012345', passwordBytes: 16 },
      will: {
        ...{ topic: '/ota/device/connection/123456789012345/state ', qos: 0, retain: true },
        ...{ bytes: 1, text: '0' },
      },
    },
    { ...from, event: 'subscribe', filter: '/ota/pk9/123456789012345/update', qos: 1 },
    { ...from, event: 'subscribe', filter: 'two', qos: 2 },
    {
      ...{ ...from, event: 'publish', topic: '/ota/device/connection/123456789012345/state' },
      ...{ qos: 1, retain: true, dup: false, bytes: 1, text: '1' },
    },
    {
      ...{ ...from, event: 'publish', topic: 'bytes', qos: 2, retain: false, dup: false },
      ...{ bytes: 3, hex: 'ff0001' },
    },
    { ...from, event: 'unsubscribe', filter: 'two' },
    { ...from, event: 'disconnect' },
    { ...from, event: 'closed', why: 'by the box' },
  ])
  expect(probed.lines[1]).toMatch(
    / {2}#1 127\.0\.0\.1 {2}connect {2}protocol "3\.1" .*passwordBytes 16 .*will \(topic "\/ota/,
  )
  const { draft } = await probed.end()
  expect(draft).toMatchObject({
    profile: {
      ...{ dialect: 'oneway', wireId: '{serial}', productKey: 'pk9', languages: null },
      topics: {
        ...{ down: '/ota/{productKey}/{serial}/update', up: '/ota/device/connection/{serial}/state' },
      },
    },
    fillIn: expect.arrayContaining([expect.stringContaining('QoS 2'), expect.stringContaining('đồng')]),
  })
  expect(JSON.stringify([probed.said, probed.lines])).not.toContain(PASSWORD)
})

it.each<[string, Uint8Array, RegExp]>([
  ['garbage', Buffer.alloc(100, 0x7f), /^not MQTT|no CONNECT/],
  ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /^not MQTT|no CONNECT/],
  ['a handshake of TLS', Buffer.from([0x16, 3, 1, 2, 0, 1]), /TLS/],
  ['a publish before the CONNECT', mqttPacket.generate({ cmd: 'pingreq' }), /no CONNECT/],
  ['a CONNECT that ends too early', Buffer.from([0x10, 4, 0, 4, 0x4d, 0x51]), /^not MQTT/],
  [
    'two CONNECTs',
    Buffer.concat([mqttPacket.generate(opening()), mqttPacket.generate(opening())]),
    /second CONNECT/,
  ],
  [
    'an answer to nothing',
    Buffer.concat([mqttPacket.generate(opening()), mqttPacket.generate({ cmd: 'pingresp' })]),
    /pingresp/,
  ],
  [
    'a huge packet',
    Buffer.concat([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(300_000, 0x61)]),
    /above 65536 bytes/,
  ],
])('closes on %s, and goes on', async (_, bytes, why) => {
  const probed = await startProbe()
  const hostile = await openRaw(probed.url)
  hostile.write(bytes)
  await hostile.untilClosed()
  await probed.seen('closed')
  expect(probed.events('closed')[0]?.why).toMatch(why)
  await (await probed.box({ clientId: 'SN-0001' })).endAsync()
})

it('tells a box of MQTT 5 that it has to change', async () => {
  const probed = await startProbe()
  const box = await openRaw(probed.url)
  box.send(opening({ protocolVersion: 5 }))
  expect(await box.next('connack')).toMatchObject({ returnCode: 0x84 })
  await box.untilClosed()
  const { draft } = await probed.end()
  expect(probed.events('connect')).toMatchObject([{ protocol: '5' }])
  expect(draft?.fillIn).toContain('The box speaks MQTT 5: set it to 3.1.1 or 3.1, the hub has no other.')
})

it('prints and answers 10,000 packets of two boxes, and reads no more while its output is full', async () => {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  const probed = await startProbe({}, () => isOpen)
  const ping = mqttPacket.generate({ cmd: 'pingreq' })
  const publish: IPublishPacket = {
    ...{ cmd: 'publish', topic: 't', payload: 'x', qos: 1, dup: false, retain: false, messageId: 7 },
  }
  const pairs = Array.from({ length: 2_500 }, () => [mqttPacket.generate(publish), ping]).flat()
  const boxes = await Promise.all(
    ['a', 'b'].map(async (clientId) => {
      const raw = await openRaw(probed.url)
      raw.write(Buffer.concat([mqttPacket.generate(opening({ clientId })), ...pairs]))
      return raw
    }),
  )
  await until('both CONNACKs', () => boxes.every(({ received }) => received.length > 0))
  expect(probed.said.length).toBeLessThan(2 * 300)
  open()
  await until('all answers', () => boxes.every(({ received }) => received.length === 5_001))
  expect(probed.events('publish')).toHaveLength(5_000)
  expect(probed.events('ping')).toHaveLength(5_000)
})

it('shows at most 512 bytes of a payload, 256 characters of a name, and 16 topics of a packet', async () => {
  const probed = await startProbe()
  const box = await probed.box({ clientId: 'c'.repeat(1_000) })
  const filters = Array.from({ length: 20 }, (_, n) => `t${n}`)
  await box.subscribeAsync(filters)
  await box.publishAsync('long', 'đ'.repeat(300), { qos: 1 })
  await box.publishAsync('long', Buffer.alloc(10_000), { qos: 1 })
  expect(probed.events('connect')).toMatchObject([{ clientId: `${'c'.repeat(256)}…` }])
  expect(probed.events('subscribe')).toHaveLength(16)
  expect(probed.events('more_topics')).toMatchObject([{ count: 4 }])
  expect(probed.events('publish')).toMatchObject([
    { bytes: 600, text: 'đ'.repeat(256) },
    { bytes: 10_000, hex: '00'.repeat(512) },
  ])
})

it('lets go of a box that is silent for one and a half of its keepalive', async () => {
  const probed = await startProbe()
  const raw = await openRaw(probed.url)
  raw.send(opening({ keepalive: 1 }))
  await raw.untilClosed()
  expect(probed.events('closed')).toMatchObject([{ why: 'it was silent for too long' }])
})
