/*
 * Encodes and decodes the few MQTT packets (3.1.1, QoS 1) between a hub and its speakers. Why not a library: it writes
 * each field separately and creates an object per packet. With it, 500 speakers needed two thirds of the CPU of the
 * hub's thread.
 */

const TYPE = { connack: 2, publish: 3, puback: 4, suback: 9 } as const

const PUBLISH_QOS_1 = 0x32
const PUBACK = 0x40
/** The bits of QoS 1 and 2 in the first byte of a PUBLISH. Such a PUBLISH has a packet identifier. */
const IDENTIFIED = 0x06

/** Receives the packets of a connection. The bytes are valid only until the call returns. */
export interface PacketReader {
  connack(returnCode: number): void
  suback(): void
  publish(messageId: number, payload: Buffer): void
  puback(messageId: number): void
}

/** Decodes all complete packets. Returns their number of bytes. */
export function readPackets(bytes: Buffer, reader: PacketReader): number {
  let at = 0
  for (;;) {
    const head = readHead(bytes, at)
    if (!head || head.end > bytes.length) return at
    readPacket(bytes, head, reader)
    at = head.end
  }
}

interface Head {
  first: number
  /** The indexes after the packet's length and after its end. */
  from: number
  end: number
}

/** Undefined while the packet is incomplete. */
function readHead(bytes: Buffer, at: number): Head | undefined {
  const first = bytes[at]
  let length = 0
  for (let index = 0; ; index += 1) {
    const byte = bytes[at + 1 + index]
    if (first === undefined || byte === undefined) return undefined
    length += (byte & 0x7f) * 128 ** index
    const from = at + 2 + index
    if (byte < 0x80) return { first, from, end: from + length }
  }
}

function readPacket(bytes: Buffer, { first, from, end }: Head, reader: PacketReader) {
  switch (first >> 4) {
    case TYPE.connack:
      return reader.connack(bytes.readUInt8(from + 1))
    case TYPE.suback:
      return reader.suback()
    case TYPE.puback:
      return reader.puback(bytes.readUInt16BE(from))
    case TYPE.publish: {
      const behindTopic = from + 2 + bytes.readUInt16BE(from)
      if ((first & IDENTIFIED) === 0) return reader.publish(0, bytes.subarray(behindTopic, end))
      return reader.publish(bytes.readUInt16BE(behindTopic), bytes.subarray(behindTopic + 2, end))
    }
    default:
      throw new Error(`a packet of type ${first >> 4} is not expected`)
  }
}

/** A PUBLISH at QoS 1. */
export function publishOf(topic: string, messageId: number, payload: Uint8Array): Buffer {
  const length = 2 + topic.length + 2 + payload.length
  if (length >= 128 * 128) throw new RangeError('a speaker says less')
  const behindHead = length < 128 ? 2 : 3
  const bytes = Buffer.allocUnsafe(behindHead + length)
  bytes[0] = PUBLISH_QOS_1
  bytes[1] = length < 128 ? length : (length & 0x7f) | 0x80
  if (length >= 128) bytes[2] = length >> 7
  bytes.writeUInt16BE(topic.length, behindHead)
  bytes.write(topic, behindHead + 2, 'latin1')
  bytes.writeUInt16BE(messageId, behindHead + 2 + topic.length)
  bytes.set(payload, behindHead + 2 + topic.length + 2)
  return bytes
}

export function pubackOf(messageId: number): Buffer {
  return Buffer.of(PUBACK, 2, messageId >> 8, messageId & 0xff)
}
