import { expect, it } from 'vitest'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Gate } from '../../../server/mqtt/gate.ts'
import { OPERATOR } from '../../support/actors.ts'
import { silentWire } from '../../support/mqtt/gate.ts'
import { type DownPacket, readPackets } from '../../support/mqtt/packets.ts'
import { openBoxWorld, type World } from './world.ts'

type Connect = Parameters<Gate['connectBox']>[0]

/** A hemipay box on a hub, and the CONNECT that it sends. */
async function withBox(kind: Parameters<World['addBox']>[0] = 'hemipay') {
  const world = await openBoxWorld()
  const box = await world.addBox(kind)
  const { serial } = box
  const packet: Connect = {
    ...{ protocolVersion: 4, clientId: serial, username: serial, clean: true, keepalive: 60 },
    password: Buffer.from('pw'),
  }
  return { ...world, box, packet, gate: world.here.gate }
}

/** A connection without a firmware behind it, and what its carrier sees. */
async function connectTo({ gate }: Pick<World['here'], 'gate'>, packet: Connect) {
  const seen = { packets: [] as DownPacket[], closed: false, reset: false }
  let connection: Connection | undefined
  const end = (isReset: boolean) => {
    seen.reset ||= isReset
    seen.closed = true
    connection?.closed()
  }
  const answer = await gate.connectBox(packet, {
    ...silentWire(),
    write: (bytes) => seen.packets.push(...readPackets(bytes)) > 0,
    ...{ close: () => end(false), reset: () => end(true) },
  })
  if ('why' in answer) throw new Error(answer.why)
  connection = answer
  const up = (topic: string, payload: unknown, qos: 0 | 1 | 2 = 1) =>
    answer.publish({
      ...{ topic, qos, retain: false, messageId: 1 },
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    })
  const published = () => seen.packets.filter((one) => one.cmd === 'publish')
  return { seen, connection: answer, up, published }
}

it.each<[why: string, change: Partial<Connect>, code: number]>([
  ['an unknown box', { username: 'BOX-0', clientId: 'BOX-0' }, 4],
  ['a wrong password', { password: Buffer.from('pW') }, 4],
  ['no password', { password: undefined }, 4],
  ['the stored hash as the password', { password: Buffer.alloc(32, 1) }, 4],
  ['no name', { username: undefined, clientId: '' }, 4],
  ['no keepalive, and no ping that would miss it', { keepalive: 0 }, 2],
  ['no keepalive at all', { keepalive: undefined }, 2],
])('refuses %s', async (_, change, code) => {
  const { gate, packet } = await withBox()
  expect(await gate.connectBox({ ...packet, ...change }, silentWire())).toMatchObject({ returnCode: code })
  expect(await gate.connectBox(packet, silentWire())).toHaveProperty('publish')
})

it.each<[what: string, change: Partial<Connect>]>([
  ['its username alone', { clientId: 'factory' }],
  ['its client id alone', { username: undefined }],
  ['its client id beside a username that is no box', { username: 'admin' }],
  ['a wish for a session', { clean: false }],
  ['MQTT 3.1', { protocolVersion: 3 }],
  ['a will', { will: { topic: 'a ', payload: '0', qos: 0, retain: true } }],
  ['a keepalive of an hour', { keepalive: 3_600 }],
])('admits a box by %s', async (_, change) => {
  const { gate, packet } = await withBox()
  expect(await gate.connectBox({ ...packet, ...change }, silentWire())).toHaveProperty('publish')
})

it('a box that the hub asks for its state needs no keepalive', async () => {
  const { clock, gate, packet, box } = await withBox('clip-numbers')
  const line = await connectTo({ gate }, { ...packet, keepalive: 0 })
  line.connection.subscribe({ topic: `speakers/${box.serial}/cmd`, qos: 1 })
  await clock.wind(310_000)
  expect(line.published().map(({ topic, payload }) => [topic, payload.toString()])).toEqual([
    [`speakers/${box.serial}/cmd`, '{"cmd":"getinfo"}'],
  ])
})

it('refuses a box that was revoked', async () => {
  const { gate, packet, storage, clock, box } = await withBox()
  await storage.devices.revoke(OPERATOR, box.serial, clock.now())
  expect(await gate.connectBox(packet, silentWire())).toMatchObject({ returnCode: 4 })
})

it('answers 3 while the logins can not be read', async () => {
  const { gate, packet, storage } = await withBox()
  await storage.close()
  expect(await gate.connectBox(packet, silentWire())).toMatchObject({ returnCode: 3 })
})

it('no speaker enters by the door of boxes, and no box by that of speakers', async () => {
  const { gate, packet, shop } = await withBox()
  const { serial, key } = await shop.device()
  const speaker = { ...packet, clientId: serial, username: serial, password: key }
  expect(await gate.connectBox(speaker, silentWire())).toMatchObject({ returnCode: 4 })
  const sid = '0'.repeat(16)
  const will = {
    topic: `sb/1/${packet.clientId}/up/will`,
    payload: `{"sid":"${sid}","reason":"lost"}`,
    qos: 1,
  }
  expect(await gate.connect({ ...packet, will }, silentWire())).toHaveProperty('returnCode')
})

it('two boxes with the client id of their factory have a connection each', async () => {
  const { here, addBox, packet } = await withBox()
  const other = await addBox('hemipay', { serial: 'BOX-2' })
  const [one, two] = [
    await connectTo(here, { ...packet, clientId: 'factory' }),
    await connectTo(here, { ...packet, clientId: 'factory', username: other.serial }),
  ]
  expect([one.seen.closed, two.seen.closed]).toEqual([false, false])
})

it('a second connection of a box ends the first', async () => {
  const { here, packet } = await withBox()
  const first = await connectTo(here, packet)
  const second = await connectTo(here, packet)
  expect([first.seen.closed, second.seen.closed]).toEqual([true, false])
})

it.each(['hemipay', 'clip-numbers'] as const)(
  '%s is ready 1 s after its subscription, however often it subscribes',
  async (kind) => {
    const { here, clock, packet, box } = await withBox(kind)
    const { connection } = await connectTo(here, packet)
    await clock.wind(30_000)
    connection.subscribe({ topic: 'any', qos: 0 })
    await clock.wind(999)
    connection.subscribe({ topic: 'other', qos: 1 })
    expect(here.delivery.isConnected(box.serial)).toBe(false)
    await clock.wind(1)
    expect(here.delivery.isConnected(box.serial)).toBe(true)
    await clock.wind(5_000)
    expect(here.said('device born')).toHaveLength(1)
  },
)

it('alink is ready 1 s after its CONNECT, without a subscription', async () => {
  const { here, clock, box } = await withBox('alink')
  await box.powerOn()
  await clock.wind(999)
  expect(here.delivery.isConnected(box.serial)).toBe(false)
  await clock.wind(1)
  expect(here.delivery.isConnected(box.serial)).toBe(true)
})

it('a box that does not subscribe is disconnected after a minute', async () => {
  const { here, clock, packet } = await withBox()
  const line = await connectTo(here, packet)
  await clock.wind(59_999)
  expect(line.seen.closed).toBe(false)
  await clock.wind(1)
  expect(line.seen.closed).toBe(true)
})

it.each([
  '',
  'OFF ',
  '{',
  '[]',
  'null',
  '{"message_id":5,"packet_type":{}}',
  '{"packet_type":"rsp_payment","message_id":"0000000000","content":{"response_status":"success"}}',
  '{"re_request_id":["x"]}',
  '{"packet_type":"request_payment","message_id":"1","content":{"amount_due":-5}}',
  '{"code":200,"data":{"result":0,"task_id":"01JD3Z8Q6X9V5T7M2K4N8P0R1S"}}',
  `{"content":${'{"content":'.repeat(200)}1${'}'.repeat(201)}`,
])('what a box publishes and nobody understands is ignored: %s', async (payload) => {
  for (const kind of ['hemipay', 'clip-numbers', 'alink'] as const) {
    const { here, clock, box, pay, trail } = await withBox(kind)
    await box.powerOn()
    await clock.wind(5_000)
    for (const topic of ['a', `${box.serial}/pubmsg`, '/LLZN/BOX-hemipay', 'x '])
      for (const qos of [0, 1] as const) box.publish(topic, payload, qos)
    await clock.wind(1_000)
    expect(box.witnesses).toEqual([])
    const ftCode = await pay(box.terminalID)
    await clock.wind(40_000)
    expect(box.heardAt).toHaveLength(1)
    expect((await trail(ftCode)).stage).toBe(kind === 'alink' ? 'played' : 'delivered')
    expect(here.said('a packet could not be taken in')).toEqual([])
  }
})

it('a packet at QoS 2 closes the connection', async () => {
  const { here, packet } = await withBox()
  const line = await connectTo(here, packet)
  expect([await line.up('a', '{}'), line.seen.closed]).toEqual([true, false])
  expect([await line.up('a', '{}', 2), line.seen.closed]).toEqual([false, true])
})

it('a box that says that it shuts down is disconnected: if it stays, it comes again', async () => {
  const { here, clock, packet, box } = await withBox()
  const line = await connectTo(here, packet)
  line.connection.subscribe({ topic: 'any', qos: 1 })
  await clock.wind(1_000)
  await line.up('a', { packet_type: 'shutdown', message_id: '1', content: {} })
  await clock.wind(100)
  expect(line.seen.closed).toBe(true)
  expect(here.delivery.isConnected(box.serial)).toBe(false)
})
