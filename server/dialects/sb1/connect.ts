import type { ConnectPacket } from 'aedes'
import { parsePlain } from '../../../protocol/frame.ts'
import { will } from '../../../protocol/messages/will.ts'
import { SERIAL_PATTERN, upTopic } from '../../../protocol/topics.ts'

/** Keepalives outside of this drain a battery or hide a dead link, in seconds. */
const KEEPALIVE_S = { min: 15, max: 120 } as const

/** What a well-formed CONNECT tells. */
export interface ConnectIdentity {
  serial: string
  sid: string
  keepaliveMs: number
}

/** Checks a CONNECT before its password; a sentence says what is wrong with it (sb/1 1.2, sb/1 1.3, sb/1 3.2). */
export function checkConnect(packet: ConnectPacket): ConnectIdentity | { refused: string } {
  const { clientId: serial, username, keepalive, protocolVersion } = packet
  if (protocolVersion !== 4) return { refused: 'not MQTT 3.1.1' }
  if (!SERIAL_PATTERN.test(serial)) return { refused: 'the client id is no serial' }
  if (username !== serial) return { refused: 'the username is not the client id' }
  if (!packet.clean) return { refused: 'not a clean session' }
  if (keepalive === undefined || keepalive < KEEPALIVE_S.min || keepalive > KEEPALIVE_S.max)
    return { refused: `the keepalive is not ${KEEPALIVE_S.min} to ${KEEPALIVE_S.max} s` }
  const sid = sidOfWill(packet, serial)
  if (sid === undefined) return { refused: 'no well-formed will' }
  return { serial, sid, keepaliveMs: keepalive * 1000 }
}

function sidOfWill({ will: given }: ConnectPacket, serial: string): string | undefined {
  if (!given || given.topic !== upTopic(serial, 'will') || given.qos === 2 || given.retain) return undefined
  const opened = parsePlain(Buffer.from(given.payload))
  const parsed = will.safeParse(opened.ok ? opened.body : undefined)
  return parsed.success ? parsed.data.sid : undefined
}
