import type { Duplex } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import { createTokenBucket } from '../platform/token-buckets.ts'

/** The largest whole packet of a device (sb/1 1.4). sb/1 needs a few hundred bytes; MQTT allows 256 MB. */
export const MAX_PACKET_BYTES = 2_048

/**
 * Packets of one connection that answer nothing: a speaker sends one or two every minute, and at its start the acks of
 * its last session that were not confirmed.
 */
const PACKETS = { perSecond: 50, burst: 500 } as const

/** Answers that may be outstanding: a speaker acks what it has caught up with when it has spoken it. */
const MOST_ANSWERS = 2_000

/** Acts of one device under way, of which each takes a write: so a flood of one device leaves the others their turn. */
export const MOST_UNDER_WAY = 8

/** MQTT 3.1.1, 2.2.3: the remaining length takes one to four bytes. */
const MAX_LENGTH_BYTES = 4

/** Reads the sizes of MQTT packets in a stream of bytes. */
export function createPacketMeter() {
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
    if (1 + lengthBytes + remaining > MAX_PACKET_BYTES) return false
    lengthBytes = undefined
    body = remaining
    packets += 1
    return true
  }

  return {
    /** Packets whose header has been read. */
    packets: () => packets,
    /**
     * Reads the bytes of `most` more packets. Returns how many bytes these are: all, or those before the next packet.
     * Undefined as soon as a packet announces more than MAX_PACKET_BYTES, before its body is read.
     */
    accept(bytes: Buffer, most = Number.POSITIVE_INFINITY): number | undefined {
      const last = packets + most
      let at = 0
      while (at < bytes.length) {
        if (packets === last && body === 0) return at
        const step = body === 0 ? 1 : Math.min(body, bytes.length - at)
        if (body > 0) body -= step
        else if (!readHeaderByte(bytes[at] ?? 0)) return undefined
        at += step
      }
      return at
    },
  }
}

export type Flood = 'too_large' | 'too_many'

export interface PacketGuard {
  /** The device is expected to send so many packets in answer to the hub: they do not count. */
  expect(answers: number): void
  /** An act of the device begins. While `MOST_UNDER_WAY` are under way, its connection is not read. */
  begin(): void
  end(): void
}

/**
 * Destroys a connection when a packet is too large, or when too many come. Every byte passes `read()`, because the
 * broker reads its connections by that alone: again when what it has read is done. So the packets behind those that are
 * under way wait in the connection.
 */
export function guardPackets(stream: Duplex, clock: Clock, onRefused: (why: Flood) => void): PacketGuard {
  const meter = createPacketMeter()
  const bucket = createTokenBucket(clock, PACKETS)
  let expected = 0
  let underWay = 0

  function mayCome(): boolean {
    if (expected === 0) return bucket.take().allowed
    expected -= 1
    return true
  }

  /** How many of the bytes the broker gets now. */
  function judge(bytes: Buffer): number | Flood {
    const before = meter.packets()
    const taken = meter.accept(bytes, MOST_UNDER_WAY - underWay)
    if (taken === undefined) return 'too_large'
    for (let count = before; count < meter.packets(); count += 1) if (!mayCome()) return 'too_many'
    return taken
  }

  const read = stream.read.bind(stream)
  stream.read = (size?: number) => {
    // Node itself reads nothing, to look for more.
    if (size === 0) return read(0)
    if (underWay >= MOST_UNDER_WAY) return null
    const bytes: unknown = read(size)
    if (!Buffer.isBuffer(bytes)) return bytes
    const taken = judge(bytes)
    if (typeof taken === 'string') {
      onRefused(taken)
      stream.destroy()
      return null
    }
    if (taken === bytes.length) return bytes
    stream.unshift(bytes.subarray(taken))
    return bytes.subarray(0, taken)
  }

  return {
    expect(answers) {
      expected = Math.min(MOST_ANSWERS, expected + answers)
    },
    begin() {
      underWay += 1
    },
    end() {
      underWay -= 1
    },
  }
}
