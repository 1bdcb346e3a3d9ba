/** One packet of the hub to a device: a command, or the PUBACK to what the device has published. */
export type DownPacket =
  | { cmd: 'publish'; topic: string; messageId: number; payload: Buffer }
  | { cmd: 'puback'; messageId: number }

/** MQTT 3.1.1, 3.3.1 and 3.4.1: the first bytes of the only packets that the gate writes. */
const PUBLISH_QOS_1 = 0x32
const PUBACK = 0x40

/** Reads the packets of one write of the gate. Throws for any other packet. */
export function readPackets(bytes: Buffer): DownPacket[] {
  const packets: DownPacket[] = []
  let at = 0
  while (at < bytes.length) {
    const type = bytes.readUInt8(at)
    const { length, start } = readLength(bytes, at + 1)
    const body = bytes.subarray(start, start + length)
    packets.push(readBody(type, body))
    at = start + length
  }
  return packets
}

/** MQTT 3.1.1, 2.2.3: seven bits to a byte, the lowest first. */
function readLength(bytes: Buffer, from: number): { length: number; start: number } {
  let length = 0
  let start = from
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(start)
    start += 1
    length += (byte & 0x7f) << shift
    if (byte < 0x80) return { length, start }
  }
}

function readBody(type: number, body: Buffer): DownPacket {
  if (type === PUBACK) return { cmd: 'puback', messageId: body.readUInt16BE(0) }
  if (type !== PUBLISH_QOS_1) throw new Error(`the gate writes a packet of type ${type}`)
  const topicEnd = 2 + body.readUInt16BE(0)
  return {
    cmd: 'publish',
    topic: body.toString('latin1', 2, topicEnd),
    messageId: body.readUInt16BE(topicEnd),
    payload: body.subarray(topicEnd + 2),
  }
}
