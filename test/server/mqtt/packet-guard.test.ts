import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import mqttPacket from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import {
  createPacketMeter,
  guardPackets,
  MAX_PACKET_BYTES,
  MOST_UNDER_WAY,
} from '../../../server/mqtt/packet-guard.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

/** A packet that is `bytes` long as a whole. */
function packetOf(bytes: number): Buffer {
  for (let body = bytes - 2; ; body -= 1) {
    const lengthBytes: number[] = []
    for (let rest = body, more = true; more; rest >>= 7) {
      more = rest > 127
      lengthBytes.push((rest & 127) | (more ? 128 : 0))
    }
    if (1 + lengthBytes.length + body === bytes)
      return Buffer.from([0x30, ...lengthBytes, ...new Uint8Array(body)])
  }
}

describe('the packet meter', () => {
  it.each([
    ['the smallest', packetOf(2), true],
    ['one of exactly the limit', packetOf(MAX_PACKET_BYTES), true],
    ['one byte over the limit', packetOf(MAX_PACKET_BYTES + 1), false],
    ['a CONNECT that announces 100 MB', Buffer.from([0x10, 0x80, 0xc8, 0xaf, 0x2f]), false],
    ['the largest length there is', Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), false],
    ['a length of five bytes', Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80, 0x01]), false],
  ])('judges %s', (_, bytes, allowed) => {
    expect(createPacketMeter().accept(bytes)).toBe(allowed ? bytes.length : undefined)
  })

  it('sb/1 1.4: judges a large packet by its header, before its body has come', () => {
    expect(createPacketMeter().accept(packetOf(MAX_PACKET_BYTES + 1).subarray(0, 3))).toBeUndefined()
  })

  it('counts each packet for itself, however many follow each other', () => {
    const meter = createPacketMeter()
    const bytes = Buffer.concat([packetOf(MAX_PACKET_BYTES), packetOf(2), packetOf(MAX_PACKET_BYTES)])
    for (let i = 0; i < 10; i += 1) expect(meter.accept(bytes)).toBe(bytes.length)
  })

  const packet = fc
    .integer({ min: 2, max: 3_000 })
    .filter((size) => size !== 130)
    .map(packetOf)
  const stream = fc.oneof(
    fc.array(packet, { minLength: 1, maxLength: 5 }).map((packets) => Buffer.concat(packets)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  )
  it('gives the same verdict for any split of the same bytes', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.integer({ min: 1, max: 700 })), (bytes, sizes) => {
        const meter = createPacketMeter()
        let verdict = true
        for (let at = 0, i = 0; at < bytes.length && verdict; i += 1) {
          const size = sizes[i] ?? bytes.length
          verdict = meter.accept(bytes.subarray(at, at + size)) !== undefined
          at += size
        }
        expect(verdict).toBe(createPacketMeter().accept(bytes) !== undefined)
      }),
      { numRuns: 1_000 },
    )
  })

  it('stops before the packet that is one too many, however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(packet.filter(({ length }) => length <= MAX_PACKET_BYTES)),
        fc.nat(9),
        (packets, most) => {
          const meter = createPacketMeter()
          const first = packets.slice(0, most)
          const [bytes, wanted] = [Buffer.concat(packets), Buffer.concat(first).length]
          expect(meter.accept(bytes, most)).toBe(wanted)
          expect(meter.packets()).toBe(first.length)
          expect(meter.accept(bytes.subarray(wanted))).toBe(bytes.length - wanted)
        },
      ),
    )
  })

  it('lets every packet of sb/1 through', () => {
    const connect = mqttPacket.generate({
      ...{ cmd: 'connect', clientId: 'x'.repeat(32), username: 'x'.repeat(32), password: Buffer.alloc(43) },
      ...{ protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 30 },
    })
    expect(createPacketMeter().accept(connect)).toBe(connect.length)
  })
})

describe('a guarded connection', () => {
  function world() {
    const [stream, clock] = [new PassThrough(), createVirtualClock()]
    const refused: string[] = []
    const guard = guardPackets(stream, clock, (why) => refused.push(why))
    /** Sends packets, and reads as the broker does: again, until nothing is there. Returns how many came through. */
    const send = (count: number) => {
      stream.write(Buffer.concat(Array.from({ length: count }, () => packetOf(2))))
      return readAll()
    }
    const readAll = () => {
      let read = 0
      for (let bytes: unknown = stream.read(); Buffer.isBuffer(bytes); bytes = stream.read())
        read += bytes.length / 2
      return read
    }
    return { stream, clock, refused, guard, send, readAll }
  }

  it('is destroyed at a packet over the limit, and its bytes go no further', () => {
    const { stream, refused } = world()
    stream.write(packetOf(100))
    expect(stream.read()).toEqual(packetOf(100))
    stream.write(packetOf(MAX_PACKET_BYTES + 1))
    expect(stream.read()).toBeNull()
    expect(stream.destroyed).toBe(true)
    expect(refused).toEqual(['too_large'])
  })

  it('is destroyed when it floods', () => {
    const { stream, refused, send } = world()
    expect(send(500)).toBe(500)
    expect(refused).toEqual([])
    send(1)
    expect([refused, stream.destroyed]).toEqual([['too_many'], true])
  })

  it('is left alone when it sends as much over time', async () => {
    const { clock, refused, send } = world()
    for (let seconds = 0; seconds < 40; seconds += 1) {
      send(50)
      await clock.wind(1_000)
    }
    expect(refused).toEqual([])
  })

  it('counts no packet that answers the hub, and every other one', () => {
    const { refused, send, guard } = world()
    guard.expect(600)
    expect(send(1_100)).toBe(1_100)
    expect(refused).toEqual([])
    send(1)
    expect(refused).toEqual(['too_many'])
  })

  it('counts answers for which a device has waited for long as a flood', () => {
    const { refused, send, guard } = world()
    for (let sent = 0; sent < 100_000; sent += 1) guard.expect(3)
    send(2_500)
    expect(refused).toEqual([])
    send(1)
    expect(refused).toEqual(['too_many'])
  })

  it('is read no further while as many of its acts are under way as may be', () => {
    const { stream, guard, send, readAll } = world()
    for (let begun = 0; begun < MOST_UNDER_WAY - 1; begun += 1) guard.begin()
    stream.write(Buffer.concat([packetOf(2), packetOf(3)]))
    expect(stream.read()).toEqual(packetOf(2))
    guard.begin()
    expect([stream.read(), send(5)]).toEqual([null, 0])
    guard.end()
    expect(stream.read()).toEqual(packetOf(3))
    expect(readAll()).toBe(5)
  })

  it('ends when all that it has sent was read', async () => {
    const { stream, guard, readAll } = world()
    let hasEnded = false
    stream.on('end', () => {
      hasEnded = true
    })
    for (let begun = 0; begun < MOST_UNDER_WAY; begun += 1) guard.begin()
    stream.end(Buffer.concat(Array.from({ length: 20 }, () => packetOf(2))))
    await settle()
    expect([readAll(), hasEnded]).toEqual([0, false])
    for (let begun = 0; begun < MOST_UNDER_WAY; begun += 1) guard.end()
    expect(readAll()).toBe(20)
    await settle()
    expect(hasEnded).toBe(true)
  })
})
