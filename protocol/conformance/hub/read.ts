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
import { parseUpTopic, UP_QOS, type UpKind, upTopic } from '../../topics.ts'
import type { Identity } from '../likely/identity.ts'
import type { MacDetective, MacGuess } from '../likely/mac/mac.ts'
import { explainConnect, NO_WILL, reused } from '../likely/packet/connect.ts'
import { explainFields } from '../likely/packet/fields.ts'
import { explainPublish } from '../likely/packet/publish.ts'
import { explainPassword, type PasswordGuess } from '../likely/password.ts'
import { explainTime } from '../likely/time.ts'
import { explainTopic } from '../likely/topic.ts'
import type { Facts, Observed } from '../wire/transcript.ts'

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

/** Reads a CONNECT, the session id in its will, and what a wrong password reveals. */
export function readConnect(
  identity: Identity,
  earlierSids: readonly string[],
  packet: IConnectPacket,
): Reading & { sid: string; guess: PasswordGuess | undefined } {
  const { clientId, username = '', clean = false, keepalive = 0, protocolId, protocolVersion } = packet
  const password = packet.password?.toString() ?? ''
  const payload = packet.will && Buffer.from(packet.will.payload)
  const said = payload && bodyOf(payload)
  const sid = typeof said?.sid === 'string' ? said.sid : ''
  const isCorrect = password === passwordOf(identity.keys)
  const isUsedBefore = earlierSids.includes(sid)
  const schema = payload && readSchema('will', payload, 0)
  const has = {
    ...{ protocolId, protocolVersion, clientId, username: String(username), clean, keepalive },
    password: isCorrect ? 'right' : 'wrong',
    sidUsedBefore: isUsedBefore,
    sidLikeBefore: earlierSids.filter((old) => old !== sid && isAlike(old, sid)).length > 1,
    will: packet.will
      ? {
          ...{ topic: packet.will.topic, qos: packet.will.qos ?? 0, retain: packet.will.retain ?? false },
          schema: schema?.fault ?? 'no JSON object',
          ...said,
        }
      : undefined,
  }
  const guess = isCorrect ? undefined : explainPassword(identity, password)
  const hints = {
    ...(schema?.hint
      ? { 'will.schema': schema.hint.says, [`will.${schema.hint.name}`]: schema.hint.says }
      : {}),
    ...explainConnect(identity.serial, packet, { sid, isUsedBefore }),
    ...(guess ? { password: guess.says } : {}),
  }
  return { kind: 'connect', has, says: {}, hints, sid, guess }
}

/** Masks the password, the last field of a CONNECT: users attach transcripts to bug reports. */
export function withoutPassword(bytes: Buffer, { password }: IConnectPacket): Buffer {
  if (!password || password.length === 0) return bytes
  return Buffer.concat([bytes.subarray(0, -password.length), Buffer.alloc(password.length, '*')])
}

/**
 * Whether two ids share their first or last half. For random ids of 64 bits the chance is one in two billion. That three
 * share one in a run with a hundred connections has a chance of one in 10^13.
 */
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

/** Bytes that are not MQTT 3.1.1. `hint` names the protocol that they may be. */
export function malformed(reason: string, hint?: string): Reading {
  return {
    kind: 'malformed',
    has: { parsed: reason },
    says: {},
    hints: hint === undefined ? {} : { parsed: hint },
  }
}

/** The session's state that `readPublish` needs. */
export interface PublishContext {
  identity: Identity
  detective: MacDetective
  sid: string
  /** The sid of the birth, if it has come. */
  bornSid: string | undefined
  subscribed: boolean
  /** An earlier CONNECT had the same sid. */
  isOldSid: boolean
  /** The other sids, oldest first. */
  earlierSids: readonly string[]
  password: PasswordGuess | undefined
  /** Unix seconds, without the faults of the stand-in. */
  now: number
}

/** Reads a message, and what a wrong MAC reveals. */
export function readPublish(
  context: PublishContext,
  packet: IPublishPacket,
): Reading & { guess?: MacGuess | undefined } {
  const payload = Buffer.from(packet.payload)
  const { topic, qos, retain } = packet
  const { serial } = context.identity
  const place = parseUpTopic(topic)
  const meant = explainTopic(serial, topic)
  const own = place?.serial === serial
  const kind = own ? place.kind : meant?.kind
  const tooEarly = context.bornSid === undefined && !BEFORE_BIRTH.includes(kind ?? '')
  const has = { topic, ownTopic: own, qos, retain, tooEarly }
  const says = bodyOf(payload) ?? {}
  if (kind === undefined) {
    const unknown = `${topic} is no topic of sb/1: a device publishes on ${upTopic(serial, 'birth')}, and so on (4.1)`
    return { kind: 'publish', has, says, hints: { topic: unknown, ownTopic: unknown } }
  }
  const sealed = kind === 'will' || kind === 'telemetry' ? {} : checkMac(context, kind, payload, says)
  const schema = readSchema(kind, payload, context.now)
  const clock =
    kind === 'birth' && typeof says.at === 'number' ? explainTime(says.at, context.now) : undefined
  const sidHint = kind === 'birth' && says.sid !== context.sid ? sidFault(context, says) : undefined
  return {
    kind,
    has: {
      ...has,
      ...(sealed.mac ? { mac: sealed.mac } : {}),
      schema: schema.fault,
      ...birthFacts(context, kind, says),
    },
    says,
    hints: {
      ...explainPublish(kind, { qos, retain, tooEarly }, UP_QOS[kind]),
      ...(meant ? { topic: meant.says, ownTopic: meant.says } : {}),
      ...(schema.hint ? { schema: schema.hint.says, [schema.hint.name]: schema.hint.says } : {}),
      ...(clock === undefined ? {} : { at: clock }),
      ...(sidHint === undefined ? {} : { sidFits: sidHint }),
      ...(sealed.guess ? { mac: sealed.guess.says } : {}),
    },
    guess: sealed.guess,
  }
}

/** Facts about a birth that depend on the session or on a default. */
function birthFacts({ sid, subscribed }: PublishContext, kind: UpKind, says: Facts): Facts {
  return kind === 'birth' ? { sidFits: says.sid === sid, rx: says.rx ?? DEFAULT_RX, subscribed } : {}
}

function sidFault({ sid, isOldSid, earlierSids }: PublishContext, says: Facts): string {
  if (sid === '') return NO_WILL
  if (isOldSid) return reused(sid)
  return typeof says.sid === 'string' && earlierSids.includes(says.sid)
    ? 'the birth has the sid of an earlier session: write the sid of this CONNECT (3.1)'
    : 'the will and the birth have different sids: make one for each CONNECT, and use it in both (3.1, 8.1)'
}

interface MacReading {
  mac?: 'right' | 'wrong' | 'missing'
  guess?: MacGuess
}

/** A MAC with the sid of the birth is right too: that the will has the same one is another rule. */
function checkMac(context: PublishContext, kind: UpKind, payload: Buffer, says: Facts): MacReading {
  const { identity, sid, bornSid, detective } = context
  const sidOfBirth = kind === 'birth' && typeof says.sid === 'string' ? says.sid : bornSid
  const opened = [...new Set([sid, sidOfBirth ?? sid])].map((one) =>
    openFrame(identity.keys.up, upPrefix(identity.serial, one, kind), payload),
  )
  if (opened.some((one) => one.ok || one.reason === 'bad_json')) return { mac: 'right' }
  const otherwise = context.password?.isOtherKey ? context.password.says : undefined
  const isMissing = opened.some((one) => !one.ok && one.reason === 'no_mac')
  return {
    mac: isMissing ? 'missing' : 'wrong',
    guess: detective.explain({ ...context, sidOfBirth, kind, otherwise }, payload),
  }
}

/** `fault` is `ok`, or how the body violates its schema. */
function readSchema(
  kind: UpKind,
  payload: Buffer,
  now: number,
): { fault: string; hint?: { name: string; says: string } | undefined } {
  if (!isUtf8(payload))
    return {
      fault: 'not UTF-8',
      hint: {
        name: 'frame',
        says: 'it is not UTF-8: is a text in Latin-1, or cut within a character? (5.1)',
      },
    }
  const opened = parsePlain(payload, parseDigits)
  if (!opened.ok) return { fault: 'no JSON object' }
  const parsed = SCHEMAS[kind].safeParse(opened.body)
  if (parsed.success) return { fault: 'ok' }
  const { issues } = parsed.error
  const fault = issues.map(({ path, message }) => `${path.join('.') || 'frame'}: ${message}`).join('; ')
  return { fault, hint: explainFields(bodyOf(payload) ?? {}, issues, now) }
}

function bodyOf(payload: Buffer): Facts | undefined {
  const opened = parsePlain(payload)
  return opened.ok ? { ...Object(opened.body) } : undefined
}
