import { isUtf8 } from 'node:buffer'
import type { IConnectPacket, IPublishPacket, ISubscribePacket, Packet } from 'mqtt-packet'
import type { z } from 'zod'
import { openFrame, parseDigits, parsePlain, upPrefix } from '../../frame.ts'
import { passwordOf } from '../../keys.ts'
import { ack } from '../../messages/ack.ts'
import { birth } from '../../messages/birth.ts'
import { settingsReport } from '../../messages/settings-report.ts'
import { telemetry } from '../../messages/telemetry.ts'
import { will } from '../../messages/will.ts'
import { parseUpTopic, type UpKind } from '../../topics.ts'
import type { Facts, Observed } from '../wire/transcript.ts'
import { explainMac, explainPassword, type Identity } from './diagnose.ts'

/** Messages that are allowed up to and including the birth (4.2). */
const BEFORE_BIRTH: readonly string[] = ['birth', 'will', 'telemetry']
/** The receive buffer of a birth without `rx` (8.1). */
const DEFAULT_RX = 512

/** The content of a packet, for the transcript. */
export type Reading = Pick<Observed, 'kind'> & Required<Pick<Observed, 'has' | 'says' | 'hints'>>

const SCHEMAS = { birth, will, ack, telemetry, settings: settingsReport } as const satisfies Record<
  UpKind,
  z.ZodType
>

/** Reads a CONNECT and the session id in its will. */
export function readConnect(
  identity: Identity,
  earlierSids: readonly string[],
  packet: IConnectPacket,
): Reading & { sid: string } {
  const { clientId, username = '', clean = false, keepalive = 0, protocolId, protocolVersion } = packet
  const password = packet.password?.toString() ?? ''
  const payload = packet.will && Buffer.from(packet.will.payload)
  const said = payload && bodyOf(payload)
  const sid = typeof said?.sid === 'string' ? said.sid : ''
  const has = {
    ...{ protocolId, protocolVersion, clientId, username: String(username), clean, keepalive },
    password: password === passwordOf(identity.keys) ? 'right' : 'wrong',
    sidUsedBefore: earlierSids.includes(sid),
    sidLikeBefore: earlierSids.some((old) => old !== sid && isAlike(old, sid)),
    will: packet.will
      ? {
          ...{ topic: packet.will.topic, qos: packet.will.qos ?? 0, retain: packet.will.retain ?? false },
          schema: payload ? schemaFault('will', payload) : 'no JSON object',
          ...said,
        }
      : undefined,
  }
  const hint = explainPassword(identity, password)
  return { kind: 'connect', has, says: {}, hints: hint ? { password: hint } : {}, sid }
}

/** Masks the password, the last field of a CONNECT: users attach transcripts to bug reports. */
export function withoutPassword(bytes: Buffer, { password }: IConnectPacket): Buffer {
  if (!password || password.length === 0) return bytes
  return Buffer.concat([bytes.subarray(0, -password.length), Buffer.alloc(password.length, '*')])
}

/** Whether two ids share their first or last half. For random ids of 64 bits the chance is one in two billion. */
function isAlike(one: string, other: string): boolean {
  const half = 8
  return one.slice(0, half) === other.slice(0, half) || one.slice(-half) === other.slice(-half)
}

export function readSubscribe({ subscriptions }: ISubscribePacket): Reading {
  const topics = subscriptions.map(({ topic }) => topic).join(' ')
  const qos = Math.max(...subscriptions.map((one) => one.qos))
  return { kind: 'subscribe', has: { topics, qos }, says: {}, hints: {} }
}

/** Reads any other packet: PUBACK, PINGREQ, DISCONNECT, or one that a device has no reason to send. */
export function readOther(
  { cmd, messageId }: Packet,
  session: { saidBye: boolean } | undefined,
  sent: { commandOf(packetId: number | undefined): string | undefined },
): Reading {
  const has = {
    ...(messageId === undefined ? {} : { messageId }),
    ...(cmd === 'puback' ? { command: sent.commandOf(messageId) } : {}),
    ...(cmd === 'disconnect' ? { saidBye: session?.saidBye ?? false } : {}),
  }
  return { kind: cmd, has, says: {}, hints: {} }
}

/** The session's state that `readPublish` needs. */
export interface PublishContext {
  identity: Identity
  sid: string
  earlierSids: readonly string[]
  born: boolean
}

export function readPublish(context: PublishContext, packet: IPublishPacket): Reading {
  const payload = Buffer.from(packet.payload)
  const { topic, qos, retain } = packet
  const place = parseUpTopic(topic)
  const own = place?.serial === context.identity.serial
  const tooEarly = !context.born && !BEFORE_BIRTH.includes(place?.kind ?? '')
  const has = { topic, ownTopic: own, qos, retain, tooEarly }
  if (!place || !own) return { kind: 'publish', has, says: bodyOf(payload) ?? {}, hints: {} }
  const { kind } = place
  const sealed = kind === 'will' || kind === 'telemetry' ? {} : checkMac(context, kind, payload)
  const hint =
    sealed.mac === 'wrong' ? explainMac(context.identity, { ...context, kind }, payload) : undefined
  const says = bodyOf(payload) ?? {}
  return {
    kind,
    has: { ...has, ...sealed, schema: schemaFault(kind, payload), ...birthFacts(context, kind, says) },
    says,
    hints: hint ? { mac: hint } : {},
  }
}

/** Facts about a birth that depend on the session or on a default. */
function birthFacts({ sid }: PublishContext, kind: UpKind, says: Facts): Facts {
  return kind === 'birth' ? { sidFits: says.sid === sid, rx: says.rx ?? DEFAULT_RX } : {}
}

function checkMac(
  { identity, sid }: PublishContext,
  kind: UpKind,
  payload: Buffer,
): { mac?: 'right' | 'wrong' | 'missing' } {
  const opened = openFrame(identity.keys.up, upPrefix(identity.serial, sid, kind), payload)
  if (opened.ok || opened.reason === 'bad_json') return { mac: 'right' }
  return { mac: opened.reason === 'no_mac' ? 'missing' : 'wrong' }
}

/** Returns `ok`, or how the body violates its schema. */
function schemaFault(kind: UpKind, payload: Buffer): string {
  if (!isUtf8(payload)) return 'not UTF-8'
  const opened = parsePlain(payload, parseDigits)
  if (!opened.ok) return 'no JSON object'
  const parsed = SCHEMAS[kind].safeParse(opened.body)
  if (parsed.success) return 'ok'
  return parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'frame'}: ${message}`).join('; ')
}

function bodyOf(payload: Buffer): Facts | undefined {
  const opened = parsePlain(payload)
  return opened.ok ? { ...Object(opened.body) } : undefined
}
