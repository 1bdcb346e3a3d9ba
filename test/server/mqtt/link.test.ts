import { duplexPair } from 'node:stream'
import fc from 'fast-check'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { expect, it } from 'vitest'
import { wireTo } from '../../../server/mqtt/aedes.ts'
import { createLink, DRAIN_TIMEOUT_MS, MAX_UNREAD_BYTES, type Published } from '../../../server/mqtt/link.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

/** A link over a connection of which a test holds the far end. */
function world() {
  const [near, far] = duplexPair({ highWaterMark: 1024 })
  const clock = createVirtualClock()
  const client = { conn: near, closed: false, close: () => near.destroy() }
  const expected: number[] = []
  const resets: true[] = []
  const reset = () => {
    resets.push(true)
    near.destroy()
  }
  const wire = wireTo(client, {
    visitor: { address: '127.0.0.1', reset },
    guard: { expect: (answers) => expected.push(answers) },
  })
  const slow: string[] = []
  const onSlow = (why: string) => {
    slow.push(why)
    wire.close()
  }
  const link = createLink(wire, { clock, tracksConfirms: true, onSlow })
  const received: Packet[] = []
  const pieces: Buffer[] = []
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  parser.on('packet', (packet) => received.push(packet))
  const read = () =>
    far.on('data', (bytes) => {
      pieces.push(bytes)
      parser.parse(bytes)
    })
  near.on('error', () => undefined)
  const publish = (payload: Buffer) => link.publish({ topic: 'sb/1/SB-0001/down', payload })
  return { publish, link, near, clock, client, received, pieces, read, expected, slow, resets }
}

const published = (qos: 0 | 1, messageId?: number): Published => ({
  ...{ topic: 'sb/1/SB-0001/up/ack', payload: '', qos, retain: false },
  ...(messageId !== undefined && { messageId }),
})

it('publishes at QoS 1 to the device, whatever the size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 20_000 }), async (bytes) => {
      const { publish, received, read } = world()
      read()
      publish(Buffer.from(bytes))
      await settle()
      expect(received).toMatchObject([
        { cmd: 'publish', qos: 1, retain: false, dup: false, messageId: 1, topic: 'sb/1/SB-0001/down' },
      ])
      expect(received[0]).toHaveProperty('payload', Buffer.from(bytes))
    }),
    { numRuns: 20, examples: [[new Uint8Array(106)], [new Uint8Array(107)], [new Uint8Array(16_363)]] },
  )
})

it.each([
  ['without a PUBACK is discarded as the connection ends', false, 1],
  ['with a PUBACK is not', true, 0],
])('a sending %s', (_, isConfirmed, count) => {
  const { link, resets } = world()
  const body = { kind: 'announce', amount: '1', lang: 'vi', paidBill: '' } as const
  const sending = { id: 'A', commandNumber: 1, body, expiresAt: 1 }
  link.publish({ topic: 'box', payload: Buffer.from('{}') }, sending)
  if (isConfirmed) expect(link.confirmed(1)).toBe(sending)
  link.close()
  expect(resets).toHaveLength(count)
})

it('numbers what it publishes from 1 to 65535, and over again', async () => {
  const { publish, received, read } = world()
  read()
  for (let count = 0; count <= 0xffff; count += 1) publish(Buffer.from('{}'))
  await settle()
  const ids = received.map((packet) => packet.messageId)
  expect([ids[0], ids[0xfffe], ids[0xffff]]).toEqual([1, 0xffff, 1])
})

it('writes what belongs to one turn at once, in order', async () => {
  const { publish, link, received, pieces, read } = world()
  read()
  for (const messageId of [300, 301]) link.received(published(1, messageId))()
  publish(Buffer.from('{}'))
  await settle()
  expect(received.map(({ cmd, messageId }) => [cmd, messageId])).toEqual([
    ['puback', 300],
    ['puback', 301],
    ['publish', 1],
  ])
  expect(pieces).toHaveLength(1)
})

it('sends a PUBACK at QoS 1 only, and none for a will', async () => {
  const { link, received, read } = world()
  read()
  const [ack, telemetry, will] = [published(1, 9), published(0), published(1)]
  for (const packet of [ack, telemetry, will]) link.received(packet)()
  await settle()
  expect(received).toMatchObject([{ cmd: 'puback', messageId: 9 }])
})

it('confirms in the order in which it came, each once it is stored', async () => {
  const { link, received, read } = world()
  read()
  const [first, second, third, fourth] = [1, 2, 3, 4].map((id) => link.received(published(1, id)))
  const confirmed = async () => {
    await settle()
    return received.map(({ messageId }) => messageId)
  }
  second?.()
  third?.()
  expect(await confirmed()).toEqual([])
  first?.()
  expect(await confirmed()).toEqual([1, 2, 3])
  fourth?.()
  expect(await confirmed()).toEqual([1, 2, 3, 4])
})

it('writes nothing to a connection that was closed in the same turn', async () => {
  const { publish, client, pieces, read } = world()
  read()
  publish(Buffer.from('{}'))
  client.closed = true
  await settle()
  expect(pieces).toEqual([])
})

it('cuts off a device that does not read', async () => {
  const { publish, near, clock } = world()
  publish(Buffer.alloc(4_000))
  await settle()
  await clock.wind(DRAIN_TIMEOUT_MS - 1)
  expect(near.destroyed).toBe(false)
  publish(Buffer.alloc(4_000))
  await clock.wind(1)
  expect(near.destroyed).toBe(true)
})

it('cuts off a device for which too many bytes wait, whatever the time', async () => {
  const { publish, near, slow } = world()
  const count = MAX_UNREAD_BYTES / 4_096
  for (let sent = 0; sent < count - 1; sent += 1) {
    publish(Buffer.alloc(4_096 - 24))
    await settle()
  }
  expect([near.destroyed, slow]).toEqual([false, []])
  publish(Buffer.alloc(8_192))
  await settle()
  expect([near.destroyed, slow]).toEqual([true, ['too many bytes unread']])
})

it('does not count what a device has read after a while', async () => {
  const { publish, slow, read } = world()
  read()
  for (let sent = 0; sent < (4 * MAX_UNREAD_BYTES) / 16_384; sent += 1) {
    publish(Buffer.alloc(16_384))
    await settle()
  }
  expect(slow).toEqual([])
})

it('expects a PUBACK and two more packets in answer to each command', async () => {
  const { publish, link, expected, read } = world()
  read()
  publish(Buffer.from('{}'))
  link.received(published(1, 9))()
  await settle()
  expect(expected).toEqual([3])
})

it('leaves a device alone that was only slow', async () => {
  const { publish, near, clock, read, received } = world()
  publish(Buffer.alloc(4_000))
  await clock.wind(DRAIN_TIMEOUT_MS - 1)
  read()
  await clock.wind(DRAIN_TIMEOUT_MS)
  expect(near.destroyed).toBe(false)
  expect(received).toHaveLength(1)
})
