import { createHash, timingSafeEqual } from 'node:crypto'
import { bytesOf } from '#platform'
import { parsePlain } from '../../../protocol/frame.ts'
import { deriveKeys, parseKey } from '../../../protocol/keys.ts'
import { will as willSchema } from '../../../protocol/messages/will.ts'
import { downTopic, SERIAL_PATTERN, upTopic } from '../../../protocol/topics.ts'
import type { Admission, ConnectRequest, Subscription } from '../../delivery/dialect.ts'
import { KEEPALIVE_S } from './limits.ts'

/** Checks a CONNECT before its password (sb/1 1.2, sb/1 1.3, sb/1 3.2). */
export function admit(connect: ConnectRequest): Admission | { refused: string } {
  const { clientId: serial, username, keepalive, protocolVersion } = connect
  if (protocolVersion !== 4) return { refused: 'not MQTT 3.1.1' }
  if (!SERIAL_PATTERN.test(serial)) return { refused: 'the client id is no serial' }
  if (username !== serial) return { refused: 'the username is not the client id' }
  if (!connect.clean) return { refused: 'not a clean session' }
  if (keepalive === undefined || keepalive < KEEPALIVE_S.min || keepalive > KEEPALIVE_S.max)
    return { refused: `the keepalive is not ${KEEPALIVE_S.min} to ${KEEPALIVE_S.max} s` }
  const sessionId = sessionOf(connect.will, serial)
  if (sessionId === undefined) return { refused: 'no well-formed will' }
  return { serial, sessionId, keepaliveMs: keepalive * 1000 }
}

/** The will names the session, so that the hub can verify the birth (sb/1 3.2). */
function sessionOf(will: ConnectRequest['will'], serial: string): string | undefined {
  if (!will || will.topic !== upTopic(serial, 'will') || will.qos === 2 || will.retain) return undefined
  const opened = parsePlain(typeof will.payload === 'string' ? bytesOf(will.payload) : will.payload)
  const parsed = willSchema.safeParse(opened.ok ? opened.body : undefined)
  return parsed.success && parsed.data.reason === 'lost' ? parsed.data.sid : undefined
}

/** Whether the password is the login key with this hash (sb/1 2.3). */
export function verify(password: Buffer | undefined, loginHash: Buffer): boolean {
  const login = parseKey(password?.toString('latin1') ?? '')
  return login !== undefined && timingSafeEqual(hashOf(login), loginHash)
}

/** SHA-256 of the login key. The hub stores it instead of the key. */
export function loginHash(deviceKey: Uint8Array): Buffer {
  return hashOf(deriveKeys(deviceKey).login)
}

function hashOf(login: Uint8Array): Buffer {
  return createHash('sha256').update(login).digest()
}

/** Checks what a device subscribes to (sb/1 4.1). */
export function maySubscribe(serial: string, { topic, qos }: Subscription): { refused?: string } {
  if (topic === downTopic(serial) && qos !== 2) return {}
  return { refused: 'subscribe: not its own down topic at QoS 0 or 1' }
}
