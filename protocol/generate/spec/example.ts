import { createHmac } from 'node:crypto'
import { downPrefix, sealFrame, sealText, upPrefix } from '../../frame.ts'
import { deriveKeys, passwordOf } from '../../keys.ts'
import { announcementClips } from '../../money/sentence.ts'
import { downTopic, upTopic } from '../../topics.ts'
import { EXAMPLE } from '../messages/examples.ts'
import { bytesOf, connectPacket, type Part, pubackPacket, publishPacket, subscribePacket } from './mqtt.ts'

const { serial, sid, key } = EXAMPLE
const ID = '01JD3Z8Q6X9V5T7M2K4N8P0R1S'
const AT = 1_763_678_400
const HEX_BYTES_A_LINE = 16

/** The packets of the example. Tests check them with another MQTT library. */
export function examplePackets() {
  const keys = deriveKeys(key)
  const will = { topic: upTopic(serial, 'will'), payload: JSON.stringify({ sid, reason: 'lost' }) }
  const { parts } = announceFrame()
  return {
    connect: connectPacket({ serial, password: passwordOf(keys), keepaliveS: 60, will }),
    subscribe: subscribePacket(1, downTopic(serial)),
    announce: publishPacket(7, downTopic(serial), parts),
    puback: pubackPacket(7),
    ack: publishPacket(2, upTopic(serial, 'ack'), [
      { bytes: ackFrame('received'), meaning: 'payload: the ack, sealed with the up key' },
    ]),
  }
}

/** The announcement, split into the parts that the example explains. */
function announceFrame() {
  const spoken = { amount: '50000', currency: 'VND', lang: 'vi', clips: announcementClips('vi', '50000') }
  const envelope = `{"t":"announce","id":"${ID}","n":42,"at":${AT},"ttl":120,`
  const signed = `${envelope}"d":${JSON.stringify(spoken)}`
  const frame = Buffer.from(sealText(deriveKeys(key).down, downPrefix(serial, sid), signed))
  const parts: Part[] = [
    { bytes: Buffer.from(envelope), meaning: 'payload: t, id, n, at, ttl' },
    { bytes: Buffer.from(signed.slice(envelope.length)), meaning: 'payload: the body' },
    { bytes: frame.subarray(-32), meaning: 'payload: the last 32 bytes, the MAC' },
  ]
  return { signed, frame, parts }
}

function ackFrame(st: 'received' | 'played'): Buffer {
  const body = { t: 'ack', id: ID, n: 42, st }
  return Buffer.from(sealFrame(deriveKeys(key).up, upPrefix(serial, sid, 'ack'), body))
}

/** The worked example as Markdown. */
export function workedExample(): string {
  const packets = examplePackets()
  return [
    '### The keys',
    '',
    ...block(keySteps()),
    '',
    '### The device connects',
    '',
    ...packetBlock(packets.connect),
    '',
    'The hub answers `20 02 00 00` (CONNACK 0). The device subscribes:',
    '',
    ...packetBlock(packets.subscribe),
    '',
    'The hub answers `90 03 00 01 01` (SUBACK, packet identifier 1, QoS 1). Birth and welcome follow.',
    '',
    '### The hub announces',
    '',
    ...packetBlock(packets.announce),
    '',
    'The payload as text:',
    '',
    ...block([announceFrame().frame.toString()]),
    '',
    '### The device verifies it',
    '',
    ...block(macSteps()),
    '',
    '### The device answers',
    '',
    ...packetBlock(packets.puback),
    '',
    ...packetBlock(packets.ack),
    '',
    'The payloads of its two acks as text. The device sends the second one when the sentence has ended:',
    '',
    ...block([ackFrame('received').toString(), ackFrame('played').toString()]),
  ].join('\n')
}

/** RFC 5869 step by step. One block of output is enough. */
function keySteps(): string[] {
  const prk = createHmac('sha256', Buffer.alloc(32)).update(key).digest()
  const derived = deriveKeys(key)
  const infos = ['login', 'down', 'up'] as const
  return [
    `K        ${key.toString('hex')}`,
    `         in base64url: ${key.toString('base64url')}`,
    `PRK      HMAC-SHA256(32 zero bytes, K) =`,
    `         ${prk.toString('hex')}`,
    ...infos.flatMap((info) => [
      `${info.padEnd(8)} HMAC-SHA256(PRK, "sb1/${info}" 01) =`,
      `         ${Buffer.from(derived[info]).toString('hex')}`,
    ]),
    `password ${passwordOf(derived)}`,
  ]
}

function macSteps(): string[] {
  const { signed, frame } = announceFrame()
  const prefix = downPrefix(serial, sid)
  const digest = createHmac('sha256', deriveKeys(key).down).update(prefix).update(signed).digest()
  return [
    `payload  ${frame.length} bytes; the last 32 are ${frame.subarray(-32).toString()}`,
    `signed   the ${signed.length} bytes before them`,
    `prefix   ${prefix}   (${prefix.length} bytes)`,
    `HMAC     HMAC-SHA256(key sb1/down, prefix and signed: ${prefix.length} + ${signed.length} bytes) =`,
    `         ${digest.toString('hex')}`,
    `MAC      its first 16 bytes ${digest.subarray(0, 16).toString('hex')}`,
    `         in base64url ${digest.subarray(0, 16).toString('base64url')}: 22 characters, as received`,
  ]
}

function block(lines: readonly string[]): string[] {
  return ['```', ...lines, '```']
}

/** Formats a packet with the offset, the bytes and the meaning of each part. */
function packetBlock(parts: readonly Part[]): string[] {
  let offset = 0
  const lines = parts.flatMap(({ bytes, meaning }) => {
    const rows = Array.from({ length: Math.ceil(bytes.length / HEX_BYTES_A_LINE) }, (_, row) => {
      const slice = bytes.subarray(row * HEX_BYTES_A_LINE, (row + 1) * HEX_BYTES_A_LINE)
      return hexRow(offset + row * HEX_BYTES_A_LINE, slice, row === 0 ? meaning : '')
    })
    offset += bytes.length
    return rows
  })
  return block([...lines, `${String(bytesOf(parts).length).padStart(4)}  bytes in total`])
}

function hexRow(offset: number, bytes: Buffer, meaning: string): string {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  const ascii = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.')
  const row = `${String(offset).padStart(4)}  ${hex.padEnd(3 * HEX_BYTES_A_LINE)} ${ascii.padEnd(HEX_BYTES_A_LINE)}  ${meaning}`
  return row.trimEnd()
}
