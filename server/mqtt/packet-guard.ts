import type { Duplex } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import { createTokenBucket } from '../platform/token-buckets.ts'

/** The largest whole packet of a device (sb/1 1.4). sb/1 needs a few hundred bytes; MQTT allows 256 MB. */
export const MAX_PACKET_BYTES = 2_048

/** Packets of one connection: a speaker sends two for each announcement, and one or two every minute. */
const PACKETS = { perSecond: 50, burst: 300 } as const

/** MQTT 3.1.1, 2.2.3: the remaining length takes one to four bytes. */
const MAX_LENGTH_BYTES = 4

/** Reads the sizes of MQTT packets in a stream of bytes. */
export interface PacketMeter {
  /** False as soon as a packet announces more than the limit, before its body is read. */
  accept(bytes: Buffer): boolean
  /** Packets whose header has been read. */
  packets(): number
}

export function createPacketMeter(limit = MAX_PACKET_BYTES): PacketMeter {
  /** Bytes of the current packet's body that are missing. */
  let body = 0
  /** Bytes of the current packet's length that have been read. Undefined before its type. */
  let lengthBytes: number | undefined
  let remaining = 0
  let packets = 0

  function readHeaderByte(byte: number): boolean {
    if (lengthBytes === undefined) {
      lengthBytes = 0
      remaining = 0
      return true
    }
    remaining += (byte & 0x7f) * 128 ** lengthBytes
    lengthBytes += 1
    if ((byte & 0x80) !== 0) return lengthBytes < MAX_LENGTH_BYTES
    if (1 + lengthBytes + remaining > limit) return false
    lengthBytes = undefined
    body = remaining
    packets += 1
    return true
  }

  return {
    packets: () => packets,
    accept(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const step = body === 0 ? 1 : Math.min(body, bytes.length - at)
        if (body > 0) body -= step
        else if (!readHeaderByte(bytes[at] ?? 0)) return false
        at += step
      }
      return true
    },
  }
}

type Why = 'too_large' | 'too_many'

/**
 * Destroys a connection when a packet is too large, or when too many come. Every byte passes `read()`, because the
 * broker reads its connections by that alone.
 */
export function guardPackets(stream: Duplex, clock: Clock, onRefused: (why: Why) => void) {
  const meter = createPacketMeter()
  const bucket = createTokenBucket(clock, PACKETS)

  function verdict(bytes: Buffer): Why | undefined {
    const before = meter.packets()
    if (!meter.accept(bytes)) return 'too_large'
    for (let count = before; count < meter.packets(); count += 1)
      if (!bucket.take().allowed) return 'too_many'
    return undefined
  }

  const read = stream.read.bind(stream)
  stream.read = (size?: number) => {
    const bytes: unknown = read(size)
    const refused = Buffer.isBuffer(bytes) ? verdict(bytes) : undefined
    if (refused === undefined) return bytes
    onRefused(refused)
    stream.destroy()
    return null
  }
}
