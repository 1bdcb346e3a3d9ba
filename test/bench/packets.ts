/*
 * The few MQTT packets (3.1.1, QoS 1) that pass between a hub and its speakers, as bytes. Why not by a library: it writes
 * each field by itself and makes an object of every packet; 500 speakers took two thirds as much of the processor as
 * the hub's thread did for them.
 */

const TYPE = { connack: 2, publish: 3, puback: 4, suback: 9 } as const

const PUBLISH_QOS_1 = 0x32
const PUBACK = 0x40
/** The flag of QoS 1 or 2 in a PUBLISH's first byte: it has an identifier. */
const IDENTIFIED = 0x06

/** Who reads the packets of a connection. What is handed over is good until the call returns. */
export interface PacketReader {
  connack(returnCode: number): void
  suback(): void
  publish(messageId: number, payload: Buffer): void
  puback(messageId: number): void
}

/** Reads all whole packets; answers how many bytes they take. */
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
  /** Where the packet goes on behind its length, and where it ends. */
  from: number
  end: number
}

/** Undefined while it is not whole. */
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
export function publishOf(topic: string, messageId: number, payload: Buffer): Buffer {
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
