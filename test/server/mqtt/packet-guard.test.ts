import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import mqttPacket from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { createPacketMeter, guardPackets, MAX_PACKET_BYTES } from '../../../server/mqtt/packet-guard.ts'
import { createVirtualClock } from '../../support/clock.ts'

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
    expect(createPacketMeter().accept(bytes)).toBe(allowed)
  })

  it('sb/1 1.4: judges a large packet by its header, before its body has come', () => {
    expect(createPacketMeter().accept(packetOf(MAX_PACKET_BYTES + 1).subarray(0, 3))).toBe(false)
  })

  it('counts each packet for itself, however many follow each other', () => {
    const meter = createPacketMeter()
    const bytes = Buffer.concat([packetOf(MAX_PACKET_BYTES), packetOf(2), packetOf(MAX_PACKET_BYTES)])
    for (let i = 0; i < 10; i += 1) expect(meter.accept(bytes)).toBe(true)
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
          verdict = meter.accept(bytes.subarray(at, at + size))
          at += size
        }
        expect(verdict).toBe(createPacketMeter().accept(bytes))
      }),
      { numRuns: 1_000 },
    )
  })

  it('lets every packet of sb/1 through', () => {
    const connect = mqttPacket.generate({
      ...{ cmd: 'connect', clientId: 'x'.repeat(32), username: 'x'.repeat(32), password: Buffer.alloc(43) },
      ...{ protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 30 },
    })
    expect(createPacketMeter().accept(connect)).toBe(true)
  })
})

describe('a guarded connection', () => {
  it('is destroyed at a packet over the limit, and its bytes go no further', () => {
    const stream = new PassThrough()
    const refused: string[] = []
    guardPackets(stream, createVirtualClock(), (why) => refused.push(why))
    stream.write(packetOf(100))
    expect(stream.read()).toEqual(packetOf(100))
    stream.write(packetOf(MAX_PACKET_BYTES + 1))
    expect(stream.read()).toBeNull()
    expect(stream.destroyed).toBe(true)
    expect(refused).toEqual(['too_large'])
  })

  it('is destroyed when it floods, and not when it sends as much over time', async () => {
    const clock = createVirtualClock()
    const refused: string[] = []
    const send = async (packets: number) => {
      const stream = new PassThrough()
      guardPackets(stream, clock, (why) => refused.push(why))
      for (let sent = 0; sent < packets && !stream.destroyed; sent += 50) {
        stream.write(Buffer.concat(Array.from({ length: 50 }, () => packetOf(2))))
        stream.read()
        await clock.wind(packets > 1_000 ? 1_000 : 1)
      }
    }
    await send(2_000)
    expect(refused).toEqual([])
    await send(400)
    expect(refused).toEqual(['too_many'])
  })
})
