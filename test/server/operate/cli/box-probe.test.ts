import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsync, type IClientOptions } from 'mqtt'
import mqttPacket, { type IConnectPacket, type IPublishPacket } from 'mqtt-packet'
import { expect, it, onTestFinished } from 'vitest'
import { type ProbeOptions, probe } from '../../../../server/operate/cli/box-probe.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openRaw } from '../../../support/mqtt/raw-mqtt.ts'
import { until } from '../../../support/wait.ts'

const PASSWORD = 'Tr0ub4dor-Secret'
const room = async () => undefined

/** A probe in this process, and what it has printed. */
async function startProbe(options: Partial<ProbeOptions> = {}, wait: () => Promise<unknown> = room) {
  const said: Record<string, unknown>[] = []
  const lines: string[] = []
  const complaints: string[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const ended = probe(
    { host: '127.0.0.1', port: 0, ...options },
    {
      print(json, ...text) {
        said.push(Object(json))
        lines.push(...text)
      },
      room: wait,
      complain: (sentence) => void complaints.push(sentence),
      stopping: ending.signal,
    },
  )
  const refusal = ended.then(() => undefined)
  const listening = await Promise.race([until('the port', () => said[0]), refusal])
  const port = String(listening?.port)
  const url = `mqtt://127.0.0.1:${port}`
  return {
    ...{ said, lines, complaints, url },
    events: (name: string) => said.filter(({ event }) => event === name),
    seen: (name: string, count = 1) =>
      until(`${count} ${name}`, () => said.filter(({ event }) => event === name).length >= count),
    /** Ends the probe. Returns its draft. */
    async end() {
      ending.abort()
      const hasDraft = await ended
      return { hasDraft, draft: said.find(({ event }) => event === 'draft') }
    },
    async box(settings: IClientOptions) {
      const client = await connectAsync(url, { reconnectPeriod: 0, ...settings })
      onTestFinished(() => void client.end(true))
      return client
    },
  }
}

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

interface Box extends IClientOptions {
  filter: string
  published?: [topic: string, payload: string]
}

const DRAFTS: [what: string, box: Box, profile: object, ...sentences: string[]][] = [
  [
    'Hemipay with a keypad',
    {
      ...{ clientId: 'dev_Y6B0001', keepalive: 0, filter: '/LLZN/Y6B0001' },
      published: ['Y6B0001/pubmsg', '{"message_id":"1","packet_type":"request_payment"}'],
    },
    {
      ...{ dialect: 'hemipay', wireId: 'dev_{serial}', keypad: true, played: [] },
      topics: { down: '/LLZN/{serial}', up: '{serial}/pubmsg' },
    },
    'The box has no keepalive',
    'The box logs in without a password',
  ],
  [
    'Hemipay by its messages alone',
    {
      ...{ clientId: 'SN12345', filter: 'down/+', published: ['SN12345/x', '{"packet_type":"heartbeat"}'] },
    },
    { dialect: 'hemipay', topics: { down: null, up: '{serial}/x' }, keypad: false },
    'topics.down: It subscribes to down/+.',
  ],
  [
    'Alink with a password of an HMAC',
    {
      ...{ clientId: '1|securemode=2|', username: 'box77&a1Key', password: 'F'.repeat(64) },
      filter: '/sys/a1Key/box77/thing/#',
    },
    {
      ...{ dialect: 'alink', wireId: '{serial}&{productKey}', productKey: 'a1Key', clip: '{clip}' },
      ...{ login: { password: { hmac: 'alink' } } },
      topics: { down: '/sys/{productKey}/{serial}/thing/service/SpeechBroadcast' },
    },
  ],
  [
    'openLuat',
    { clientId: '860000000000001', filter: '/sub/topic/money/860000000000001' },
    {
      ...{ dialect: 'oneway', topics: { down: '/sub/topic/money/{serial}' } },
      announce: [{ json: { money: '{amount}' } }],
    },
  ],
  [
    'clip numbers on a topic of its own',
    {
      ...{ clientId: 'c1', username: 'sn-000042-vn', filter: 'yunlaba/000042' },
      published: ['yunlaba/up', '{"cmd":"getinfo","batt":4100}'],
    },
    {
      ...{ dialect: 'oneway', pack: 'vi-en', wireId: 'sn-{serial}-vn' },
      topics: { down: 'yunlaba/{serial}' },
    },
  ],
  [
    'a box that nobody knows',
    { clientId: 'device-860123', username: 'all', password: 'x', filter: 'kiotel/client/sb/860123' },
    {
      ...{ dialect: null, wireId: 'device-{serial}', topics: { down: 'kiotel/client/sb/{serial}' } },
      ...{ name: 'my-box', login: { password: 'minted' } },
    },
    'dialect: none was recognised',
  ],
]

it.each(DRAFTS)('drafts a profile: %s', async (_, { filter, published, ...login }, profile, ...sentences) => {
  const probed = await startProbe()
  const box = await probed.box(login)
  await box.subscribeAsync(filter, { qos: 1 })
  if (published) await box.publishAsync(...published, { qos: 1 })
  const { draft } = await probed.end()
  expect(draft).toMatchObject({ profile })
  for (const sentence of sentences) expect(String(draft?.fillIn)).toContain(sentence)
})

it('drafts the box that has subscribed, over its connections', async () => {
  const probed = await startProbe()
  const first = await probed.box({ clientId: 'SN-0001' })
  await first.subscribeAsync('a/SN-0001')
  await first.endAsync()
  const again = await probed.box({ clientId: 'SN-0001' })
  await again.publishAsync('b/SN-0001', '', { qos: 1 })
  await probed.box({ clientId: 'another' })
  const { draft } = await probed.end()
  expect(draft).toMatchObject({ profile: { topics: { down: 'a/{serial}', up: 'b/{serial}' } } })
})

it('writes the draft to a new file', async () => {
  const out = join(temporaryFolder(), 'profile.json')
  const probed = await startProbe({ out })
  await probed.box({ clientId: 'SN-0001' })
  const { draft, hasDraft } = await probed.end()
  expect(hasDraft).toBe(true)
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(draft?.profile)
  await expect(startProbe({ out })).rejects.toThrow(`${out} exists: name a new file.`)
})

it('has no draft when no box has connected', async () => {
  const probed = await startProbe()
  expect(await probed.end()).toEqual({ hasDraft: false, draft: undefined })
  expect(probed.complaints).toEqual(['No box has connected: there is nothing to draft.'])
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
