import { generate, type Packet, parser } from 'mqtt-packet'
import { downPrefix, sealFrame } from '../../../../protocol/frame.ts'
import { deriveKeys, parseKey } from '../../../../protocol/keys.ts'
import { commandIdOf } from '../../../simulator/support/hub-double.ts'

/** Cases for line_run.c: steps of the hub and the clock, and what was printed. */

export const SERIAL = 'SHOP-0042'
export const KEY = Buffer.alloc(32, 5).toString('base64url')
export const DOWN = `sb/1/${SERIAL}/down`
/** Seconds of the hub's clock. */
export const NOW = 1_763_678_400
/** The device is on and waits for its CONNACK. Every random byte is 1, so the session id is known. */
export const OPENED = [`line ${KEY}`, 'random 1', 'run 1000']
export const SID = '01'.repeat(8)

export type Printed = Record<string, unknown>

/** The bytes of packets of the hub. */
export const bytesOf = (...packets: Packet[]) => Buffer.concat(packets.map((packet) => generate(packet)))
export const hub = (...packets: Packet[]) => `hub ${bytesOf(...packets).toString('hex')}`

export const connack = (returnCode = 0): Packet => ({ cmd: 'connack', returnCode, sessionPresent: false })
export const suback = (code = 1): Packet => ({ cmd: 'suback', messageId: 1, granted: [code] })
export const puback = (messageId: number): Packet => ({ cmd: 'puback', messageId })

/** A PUBLISH to the device. */
export const publish = (payload: Uint8Array | string, messageId = 7, topic = DOWN): Packet => ({
  cmd: 'publish',
  topic,
  payload: Buffer.from(payload),
  qos: messageId === 0 ? 0 : 1,
  messageId,
  dup: false,
  retain: false,
})

/** A command of the hub, sealed for a session. */
export function command(t: string, n: number, d: object, { sid = SID, key = KEY, ttl = 120 } = {}): Packet {
  const keys = deriveKeys(parseKey(key) ?? Buffer.of())
  const body = { t, id: commandIdOf(n), n, at: NOW, ttl, d }
  return publish(sealFrame(keys.down, downPrefix(SERIAL, sid), body), n)
}

export const welcome = (sid = SID, key = KEY) =>
  command('welcome', 1, { now: NOW, n: 1, linked: true, settings: 0 }, { sid, key })

/** The device is welcomed, and everything that it has sent has its PUBACK: birth, and the ack of the welcome. */
export const WELCOMED = [
  ...OPENED,
  ...[hub(connack()), 'run 1000', hub(suback()), 'run 1000', hub(puback(2), welcome()), 'run 1000'],
  ...[hub(puback(3)), 'run 1000'],
]

/** The packets in bytes, as an independent parser reads them. */
export function packetsIn(hex: string): Packet[] {
  const packets: Packet[] = []
  const parse = parser({ protocolVersion: 4 })
  parse.on('packet', (packet) => packets.push(packet))
  parse.on('error', (error) => {
    throw error
  })
  if (parse.parse(Buffer.from(hex, 'hex')) > 0) throw new Error(`half a packet is left of ${hex}`)
  return packets
}

/** What the hub received of each connection, in order. */
export function connectionsIn(printed: Printed[]): Packet[][] {
  const hexes: string[] = []
  for (const { is, bytes } of printed) {
    if (is === 'opened') hexes.push('')
    if (is === 'hub') hexes.push(`${hexes.pop()}${bytes}`)
  }
  return hexes.map(packetsIn)
}

/** A packet of the device in short. */
export function brief(packet: Packet): string {
  if (packet.cmd !== 'publish')
    return 'messageId' in packet && packet.cmd === 'puback' ? `puback ${packet.messageId}` : packet.cmd
  const { t, st, n, rc, reason } = JSON.parse(String(packet.payload))
  const kind = packet.topic.split('/').at(-1)
  return [kind, kind === t ? undefined : t, n, st, rc, reason].filter((one) => one !== undefined).join(' ')
}

export const all = (printed: Printed[], ...names: string[]) =>
  printed.filter(({ is }) => names.includes(String(is)))
export const last = (printed: Printed[]): Printed => printed.at(-1) ?? {}
