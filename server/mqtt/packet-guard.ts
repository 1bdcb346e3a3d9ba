import type { Duplex } from 'node:stream'

/** The largest packet that a device may send, whole. sb/1 needs a few hundred bytes; a CONNECT may hold 256 MB. */
export const MAX_PACKET_BYTES = 2_048

/** MQTT 3.1.1, 2.2.3: the remaining length takes one to four bytes. */
const MAX_LENGTH_BYTES = 4

/**
 * Counts MQTT packets in a stream of bytes. `accept` answers false as soon as a packet announces more than
 * the limit, before its body was read.
 */
export function createPacketMeter(limit = MAX_PACKET_BYTES): { accept(bytes: Buffer): boolean } {
  /** Bytes of the current packet's body that are still to come; undefined while its header is being read. */
  let body: number | undefined
  let lengthBytes = 0
  let remaining = 0
  let seenType = false

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
    return true
  }

  function startNext() {
    body = undefined
    seenType = false
    lengthBytes = 0
    remaining = 0
  }

  return {
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
 * Puts a meter on a connection: it is destroyed when a packet is too large. The broker reads its connections
 * by `read()` alone, so that is where every byte passes.
 */
export function guardPackets(stream: Duplex, onOversize: () => void) {
  const meter = createPacketMeter()
  const read = stream.read.bind(stream)
  stream.read = (size?: number) => {
    const bytes: unknown = read(size)
    if (!Buffer.isBuffer(bytes) || meter.accept(bytes)) return bytes
    onOversize()
    stream.destroy()
    return null
  }
}
