import type { Born, BoxLogin, Readings, Runtime } from '../devices/device.ts'
import type { UpdateProgress } from '../devices/maintenance.ts'
import type { Settings } from '../settings/settings.ts'
import type { Ack, CommandWriter, Outgoing, Sending, SessionIdentity, SessionRules } from './session/ports.ts'

/**
 * The seam between the hub and a protocol of speakers. The hub's side speaks of commands and of what devices say;
 * a dialect turns both into messages, and checks who may connect, publish and subscribe. All of a dialect is one folder
 * of server/dialects.
 */
export interface Dialect {
  /** Checks a CONNECT before its password is checked. A refusal is a sentence for the log. */
  admit(connect: ConnectRequest): Admission | { refused: string }
  /** Whether the password belongs to the stored login hash. Compares in constant time. */
  verify(password: Buffer | undefined, loginHash: Buffer): boolean
  /** The login hash that the hub stores for a new device with this key. */
  loginHash(deviceKey: Uint8Array): Buffer
  /** Shows that a device has this serial and key, and does not reveal the key. */
  proofOfKey(serial: string, deviceKey: Uint8Array): string
  /** Reads and writes the messages of one session. */
  codec(session: { serial: string; sessionId: string }, deviceKey: Uint8Array): Codec
  /** Checks a subscription of a device. A refusal is a sentence for the log. */
  maySubscribe(serial: string, subscription: Subscription): { refused?: string }
  rules: SessionRules
  /**
   * A device that reports a higher played number than this has damaged memory, unless the hub itself has given that
   * number.
   */
  highestCredibleNumber: number
}

/** The sessions of boxes of other makers. */
export interface BoxSessions {
  /** `refused`: a sentence for the log. */
  open(box: BoxLogin): Promise<{ codec: Codec; rules: SessionRules } | { refused: string }>
}

/** The messages of one session. It holds the session's keys. */
export interface Codec extends CommandWriter {
  /** Checks and reads what the device published. Throws a Breach when the connection must be closed. */
  read(packet: PublishedPacket): Heard
  /** What the PUBACK of a sending says. Without it a PUBACK says nothing. */
  confirmed?(sending: Sending): Heard
  /** The device has subscribed. */
  subscribed?(filter: string): void
  /** What the hub says for a device whose session begins without a message. */
  born?(): Born
  /** A question that keeps the hub informed about a device which says nothing by itself. */
  ping?: { everyMs: number; message(): Outgoing }
}

/** The messages of one session with a box of another maker, which need not say anything by itself. It never throws. */
export type BoxCodec = Codec & Required<Pick<Codec, 'confirmed' | 'born'>>

/** What a device says, and what the hub answers at once. */
export type Heard = Said & { answers?: readonly Outgoing[] }

type Said =
  /** The first message of a session: who the device is and what it can do. */
  | { kind: 'born'; born: Born }
  /** A command has reached a stage. */
  | { kind: 'reached'; ack: Ack }
  /** The settings in force. */
  | { kind: 'settings'; settings: Settings }
  /** The device is about to disconnect, or its connection was lost. */
  | { kind: 'gone' }
  /** Readings for people to look at. */
  | {
      kind: 'telemetry'
      readings: Readings
      update?: UpdateProgress | undefined
      runtime?: Runtime | undefined
    }
  /** A person has keyed an amount in. */
  | ({ kind: 'keyed' } & KeyedRequest)
  /** Nothing to act on. `why` is a sentence for the log, left out when this is normal. */
  | { kind: 'ignored'; why?: string }

/** `amount` in đồng, as a decimal string. `requestId` is the same when the device asks again. */
export interface KeyedRequest {
  requestId: string
  amount: string
}

/** A device broke the protocol. Its connection is closed. */
export class Breach extends Error {
  override readonly name = 'Breach'
}

/** The identity in a well-formed CONNECT. */
export type Admission = Omit<SessionIdentity, 'deviceId' | 'login'>

/** The fields of a CONNECT (MQTT 3.1.1, 3.1). */
export interface ConnectRequest {
  protocolVersion?: number | undefined
  clientId: string
  username?: string | undefined
  clean?: boolean | undefined
  /** Seconds. */
  keepalive?: number | undefined
  will?: { topic: string; payload: Uint8Array | string; qos?: number; retain?: boolean } | undefined
}

/** The fields of a PUBLISH (MQTT 3.1.1, 3.3). */
export interface PublishedPacket {
  topic: string
  qos: number
  retain: boolean
  payload: Uint8Array | string
}

export interface Subscription {
  topic: string
  qos: number
}
