/** Builds the MQTT 3.1.1 packets of the worked example from parts with a description. */

/** Some bytes of a packet and their meaning. */
export interface Part {
  bytes: Buffer
  meaning: string
}

/** MQTT 3.1.1, 3.1. */
export function connectPacket(connect: {
  serial: string
  password: string
  keepaliveS: number
  will: { topic: string; payload: string }
}): Part[] {
  const { serial, password, keepaliveS, will } = connect
  return packet(0x10, 'CONNECT', [
    text('MQTT', 'protocol name'),
    { bytes: Buffer.from([4]), meaning: 'protocol level 4: MQTT 3.1.1' },
    { bytes: Buffer.from([0xce]), meaning: 'flags: username, password, will at QoS 1, clean session' },
    { bytes: uint16(keepaliveS), meaning: `keepalive ${keepaliveS} s` },
    text(serial, 'client id: the serial'),
    text(will.topic, 'will topic'),
    text(will.payload, 'will payload: names the new session'),
    text(serial, 'username: the serial'),
    text(password, 'password: the login key in base64url'),
  ])
}

/** MQTT 3.1.1, 3.8. */
export function subscribePacket(packetId: number, topic: string): Part[] {
  return packet(0x82, 'SUBSCRIBE', [
    { bytes: uint16(packetId), meaning: `packet identifier ${packetId}` },
    text(topic, 'topic filter'),
    { bytes: Buffer.from([1]), meaning: 'QoS 1' },
  ])
}

/** MQTT 3.1.1, 3.3: QoS 1, not retained. */
export function publishPacket(packetId: number, topic: string, payload: Part[]): Part[] {
  return packet(0x32, 'PUBLISH, QoS 1', [
    text(topic, 'topic'),
    { bytes: uint16(packetId), meaning: `packet identifier ${packetId}` },
    ...payload,
  ])
}

/** MQTT 3.1.1, 3.4. */
export function pubackPacket(packetId: number): Part[] {
  return packet(0x40, 'PUBACK', [{ bytes: uint16(packetId), meaning: `packet identifier ${packetId}` }])
}

export function bytesOf(parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.map(({ bytes }) => bytes))
}

function packet(firstByte: number, name: string, parts: Part[]): Part[] {
  const length = bytesOf(parts).length
  return [
    { bytes: Buffer.from([firstByte]), meaning: name },
    { bytes: remainingLength(length), meaning: `remaining length ${length}` },
    ...parts,
  ]
}

function text(value: string, meaning: string): Part {
  const bytes = Buffer.from(value)
  return {
    bytes: Buffer.concat([uint16(bytes.length), bytes]),
    meaning: `${meaning}, after its length ${bytes.length}`,
  }
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

/** MQTT 3.1.1, 2.2.3: seven bits per byte, lowest first. */
function remainingLength(length: number): Buffer {
  const low = length & 0x7f
  const rest = length >> 7
  if (rest === 0) return Buffer.from([low])
  return Buffer.concat([Buffer.from([low | 0x80]), remainingLength(rest)])
}
