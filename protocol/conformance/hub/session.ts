import type { IPublishPacket } from 'mqtt-packet'
import { toBase64url } from '#platform'
import type { DeviceKeys } from '../../keys.ts'
import { type Birth, birth } from '../../messages/birth.ts'
import type { Identity } from '../likely/identity.ts'
import type { MacGuess } from '../likely/mac/mac.ts'
import type { PasswordGuess } from '../likely/password.ts'
import type { Link } from '../wire/link.ts'
import type { Facts } from '../wire/transcript.ts'
import type { SentCommand } from './commands.ts'
import type { Reading } from './read.ts'

/** A placeholder for the birth's sid: the will defines the session, and read.ts checks the birth's sid. */
const NO_SID = '0000000000000000'

/** No two telemetry messages of a session are closer than 10 s (8.9), by a clock that may be 2 % fast. */
const TELEMETRY_GAP_MS = 9_800
/** The network or a loaded machine may have held up the telemetry before for so long. */
const TELEMETRY_LATE_MS = 5_000

/** The keys and the session id with which a device seals and verifies. */
export interface Dialect {
  keys: DeviceKeys
  sid: string
}

/** One connection of the device, from its CONNECT. */
export interface Session {
  readonly link: Link
  /** From the will. Empty if there was none. */
  readonly sid: string
  /** Its serial, and the key that it has connected with. */
  readonly identity: Identity
  /** Why its password is wrong. Undefined for a right one. */
  readonly password: PasswordGuess | undefined
  /** How the kit seals: as it must, and after a welcome in another dialect was acked, in that one. */
  dialect: Dialect
  /** Its last SUBACK has granted QoS 1. */
  subscribed: boolean
  /** Undefined before the birth. */
  birth: Birth | undefined
  /** The sid of the birth. Undefined before the birth. */
  bornSid: string | undefined
  welcome: SentCommand | undefined
  /** The welcome in each dialect that the device may understand. */
  offers: { dialect: Dialect; welcome: SentCommand }[]
  /** The device has acked the welcome, so the kit may send commands. */
  welcomed: boolean
  saidBye: boolean
  /** Payloads without a PUBACK, by packet identifier. */
  readonly inFlight: Map<number, string>
  /** From when on telemetry may come after the welcome; NO_TELEMETRY before the first. */
  telemetryDueMs: number
}

/** Reads the valid fields of a birth: one invalid field must not hide the others. */
export function readBirth(says: Facts): Birth {
  const fields = Object.entries(says).filter(([name, value]) => {
    const schema = Object.hasOwn(birth.shape, name)
      ? birth.shape[name as keyof typeof birth.shape]
      : undefined
    return schema?.safeParse(value).success
  })
  return birth.parse({ ...Object.fromEntries(fields), t: 'birth', sid: NO_SID })
}

const NO_TELEMETRY = Number.NEGATIVE_INFINITY

export function openSession(
  link: Link,
  sid: string,
  identity: Identity,
  password: PasswordGuess | undefined,
): Session {
  const unborn = { birth: undefined, bornSid: undefined, welcome: undefined, welcomed: false, saidBye: false }
  return {
    ...{ link, sid, identity, password, ...unborn },
    ...{ dialect: { keys: identity.keys, sid }, offers: [], subscribed: false },
    ...{ inFlight: new Map(), telemetryDueMs: NO_TELEMETRY },
  }
}

/**
 * What the device may understand, the right dialect first. If the MAC of its birth is right, only that one; else also
 * those of the mistakes in its password, MAC and sids. A device drops a welcome that it can't verify.
 */
export function dialectsOf(
  { dialect, password, bornSid }: Session,
  mac: { isValid: boolean; guess: MacGuess | undefined },
): Dialect[] {
  if (mac.isValid && bornSid === dialect.sid) return [dialect]
  const allKeys = [dialect.keys, password?.keys, mac.guess?.keys].filter((keys) => keys !== undefined)
  const sids = [dialect.sid, bornSid, mac.guess?.sid].filter((sid) => sid !== undefined)
  const all = sids.flatMap((sid) => allKeys.map((keys) => ({ keys, sid })))
  // A device must not understand two of them: each would be a welcome.
  return [
    ...new Map(all.toReversed().map((one) => [`${one.sid} ${toBase64url(one.keys.down)}`, one])).values(),
  ].toReversed()
}

/** Whether telemetry comes too often after the welcome (8.9), and whether the first has its health (8.10). */
export function withTelemetry(session: Session | undefined, reading: Reading, nowMs: number): Reading {
  if (reading.kind !== 'telemetry' || !session?.welcomed) return reading
  const { telemetryDueMs, birth } = session
  const isFirst = telemetryDueMs === NO_TELEMETRY
  const hasHealth = birth?.caps.includes('health')
  // From the due time and not from the last one: gaps that are a little too short add up.
  session.telemetryDueMs = Math.max(nowMs, telemetryDueMs) + TELEMETRY_GAP_MS
  return {
    ...reading,
    has: {
      ...reading.has,
      tooSoon: nowMs < telemetryDueMs - TELEMETRY_LATE_MS,
      ...(isFirst && hasHealth && { firstWithHealth: reading.says.health !== undefined }),
    },
  }
}

/** The first ack of a welcome shows in which dialect the device verifies. */
export function takeOffer(session: Session, { kind, has }: Reading): void {
  const offer = session.offers.find(({ welcome }) => kind === 'ack' && welcome.id === has.command)
  if (offer && !session.welcomed) Object.assign(session, offer)
}

/** Whether a message has a packet identifier that no other message without a PUBACK has (MQTT 3.1.1, 2.3.1). */
export function takePacketId({ inFlight }: Session, { qos, messageId, payload }: IPublishPacket): boolean {
  if (qos === 0 || messageId === undefined) return true
  const text = payload.toString()
  const isFree = (inFlight.get(messageId) ?? text) === text
  inFlight.set(messageId, text)
  return isFree
}
