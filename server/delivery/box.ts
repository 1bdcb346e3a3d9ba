import type { ReasonCode, SoundProof } from '../announcements/announcement.ts'
import type { Born } from '../devices/device.ts'
import type { Heard, PublishedPacket } from './dialect.ts'
import type { CommandBody, CommandKind } from './session/command.ts'
import type { Ack, Pacing, ReportedStage, Sending } from './session/ports.ts'

/*
 * The seam between the hub and boxes of other makers. Each of their dialects is one folder of server/dialects.
 */

/** A message to a box. */
export interface Outgoing {
  topic: string
  payload: Uint8Array
  /** 1 when left out. */
  qos?: 0 | 1
}

/** `delivered`: the box has it, and nobody knows whether it sounded. */
export type BoxStage = ReportedStage | 'delivered'

export interface BoxAck extends Omit<Ack, 'stage'> {
  stage: BoxStage
  /** Only for announcements. */
  proof?: SoundProof
}

/** What a box says. */
export type BoxHeard = (
  | Exclude<Heard, { kind: 'reached' }>
  | { kind: 'reached'; ack: BoxAck }
  /** Somebody has keyed in an amount, in đồng. `requestId` is the box's own, up to 64 characters. */
  | { kind: 'keyed'; requestId: string; amount: string }
) & {
  /** Sent to the box at once. */
  answers?: readonly Outgoing[]
}

/** What comes of a command: a message, nothing to send, or a command that the box cannot carry out. */
export type Written = Outgoing | 'done' | { failed: ReasonCode }

/** The messages of one session with a box. Nothing that a box publishes makes it throw. */
export interface BoxCodec {
  /** The message of a sending at `now`, in Unix ms. `bufferBytes` bounds its whole PUBLISH. */
  write(sending: Sending, now: number, bufferBytes: number): Written
  /** What the PUBACK of this sending says. */
  confirmed(sending: Pick<Sending, 'id' | 'commandNumber' | 'body'>): BoxHeard
  read(packet: PublishedPacket): BoxHeard
  /** What the hub knows of the box at the start of its session. */
  born(): Born
  /** Asks a box for a sign of life that otherwise only hears. */
  ping?: { everyMs: number; message(): Outgoing }
}

/** The rules of a session. For boxes they depend on the profile. */
export interface SessionRules {
  /** The stage that ends each kind of command. */
  proof: Readonly<Record<CommandKind, Exclude<BoxStage, 'failed'>>>
  /** `unconfirmed`: what happens to a connection on which a command was not confirmed for `yieldAfterMs`. */
  pacing: Pacing & { unconfirmed: 'resend' | 'reset' }
  /**
   * How long the box speaks, and rests: the next announcement waits so long after this one is confirmed, or until it has
   * ended as `played`. 0 for what makes no sound.
   */
  quietMs(body: CommandBody): number
  /** An announcement that the box has and does not report as played is `delivered` after so long. */
  playedWithinMs: number | undefined
  canShowMissed: boolean
  /** When a session begins: with a message of the device, after its SUBSCRIBE, or after its CONNECT. */
  birth: 'message' | 'subscribe' | 'connect'
}
