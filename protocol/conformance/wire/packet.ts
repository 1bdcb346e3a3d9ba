import mqttPacket, { type Packet } from 'mqtt-packet'

/** The decoded packet, or why the bytes are not MQTT 3.1.1. */
export type ReadPacket = { ok: true; packet: Packet } | { ok: false; reason: string }

/** Decodes one complete packet. */
export function readPacket(bytes: Buffer): ReadPacket {
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  const read: ReadPacket[] = []
  parser.on('packet', (packet) => void read.push({ ok: true, packet }))
  parser.on('error', (error: unknown) => void read.push({ ok: false, reason: String(error) }))
  parser.parse(bytes)
  return read[0] ?? { ok: false, reason: 'the packet is shorter than its header says' }
}

/** Encodes one packet. */
export function writePacket(packet: Packet): Buffer {
  return mqttPacket.generate(packet, { protocolVersion: 4 })
}
