import type { Duplex } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import { createTokenBucket } from '../platform/token-buckets.ts'

/**
 * The largest whole packet that a device may send (sb/1 1.4). sb/1 needs a few hundred bytes; MQTT allows 256 MB.
 */
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
  /** Bytes of the current packet's body that are missing. Undefined while its header is read. */
  let body: number | undefined
  let lengthBytes = 0
  let remaining = 0
  let seenType = false
  let packets = 0

  function readHeaderByte(byte: number): boolean {
    if (!seenType) {
      seenType = true
      return true
    }
    remaining += (byte & 0x7f) * 128 ** lengthBytes
    lengthBytes += 1
    if ((byte & 0x80) !== 0) return lengthBytes < MAX_LENGTH_BYTES
    if (1 + lengthBytes + remaining > limit) return false
    body = remaining
    packets += 1
    return true
  }

  function startNext() {
    body = undefined
    seenType = false
    lengthBytes = 0
    remaining = 0
  }

  return {
    packets: () => packets,
    accept(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (body === undefined) {
          if (!readHeaderByte(bytes[at] ?? 0)) return false
          at += 1
        } else {
          const step = Math.min(body, bytes.length - at)
          body -= step
          at += step
        }
        if (body === 0) startNext()
      }
      return true
    },
  }
}

/**
 * Destroys a connection when a packet is too large, or when too many come. Every byte passes `read()`, because the
 * broker reads its connections by that alone.
 */
export function guardPackets(
  stream: Duplex,
  clock: Clock,
  onRefused: (why: 'too_large' | 'too_many') => void,
) {
  const meter = createPacketMeter()
  const bucket = createTokenBucket(clock, PACKETS)

  function verdict(bytes: Buffer): 'too_large' | 'too_many' | undefined {
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
