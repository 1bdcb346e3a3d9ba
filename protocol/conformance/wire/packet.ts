import mqttPacket, { type Packet } from 'mqtt-packet'

/** The decoded packet, or why the bytes are not MQTT 3.1.1. */
export type ReadPacket = { ok: true; packet: Packet } | { ok: false; reason: string }

/** Decodes one complete packet. */
export function readPacket(bytes: Buffer): ReadPacket {
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  const read: ReadPacket[] = []
  parser.on('packet', (packet) => void read.push(checked(packet)))
  parser.on('error', (error: unknown) => void read.push({ ok: false, reason: String(error) }))
  parser.parse(bytes)
  return read[0] ?? { ok: false, reason: 'the packet is shorter than its header says' }
}

/** The library takes a SUBSCRIBE without a topic filter, which MQTT 3.8.3 forbids, and encodes no answer to it. */
function checked(packet: Packet): ReadPacket {
  const isEmpty = packet.cmd === 'subscribe' && packet.subscriptions.length === 0
  return isEmpty ? { ok: false, reason: 'a SUBSCRIBE without a topic filter' } : { ok: true, packet }
}

/** Encodes one packet. */
export function writePacket(packet: Packet): Buffer {
  return mqttPacket.generate(packet, { protocolVersion: 4 })
}
