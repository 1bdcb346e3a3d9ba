import type { ReasonCode, SoundProof } from '../../announcements/announcement.ts'
import type { DialectName } from '../../devices/device.ts'
import type { Command, CommandBody, CommandKind } from './command.ts'

/** A message to a device. The hub publishes it at QoS 1. */
export interface Outgoing {
  topic: string
  payload: Uint8Array
}

/** The connection to one device, as the broker offers it. */
export interface DeviceLink {
  /**
   * Writes one message to the device's connection. Does nothing when the connection is gone. The PUBACK of the message
   * confirms `sending`.
   */
  publish(message: Outgoing, sending?: Sending): void
  /** Closes the connection. */
  close(): void
  /** Closes the connection, and discards what the device has not received. */
  reset(): void
}

/** A stage that a device reports for a command. `delivered`: it has it, and nobody knows whether it sounded. */
export type ReportedStage = 'received' | 'shown' | 'delivered' | 'played' | 'failed'

/** A device's answer to a command. */
export interface Ack {
  commandId: string
  commandNumber: number
  stage: ReportedStage
  /** Only with `failed`. */
  reason: ReasonCode | undefined
  /** What it proves of the sound of an announcement. Only boxes of other makers have one. */
  proof?: SoundProof
}

/** One sending of a command. */
export type Sending = Pick<Command, 'id' | 'body' | 'expiresAt'> & { commandNumber: number }

/** `done`: the device needs no message for the command, which has ended. `failed`: no form of it fits the device. */
export type Written = Outgoing | 'done' | { failed: ReasonCode }

/** Encodes the commands of one session. */
export interface CommandWriter {
  /** The message of a sending at `now`. `bufferBytes` bounds its whole PUBLISH. */
  write(sending: Sending, now: number, bufferBytes: number): Written
}

/** When a command is sent again, and when a device counts as offline. */
export interface Pacing {
  /** Times after the first sending at which a command without an answer is sent again. */
  resendAfterMs: readonly number[]
  /** After this time without an answer, a command no longer blocks the other classes, or its connection is reset. */
  yieldAfterMs: number
  /**
   * What happens then. `reset`: the device would take a repeat for a new announcement, so the connection ends before
   * anything is sent again, and nothing that is still under way arrives late.
   */
  unanswered: 'yield' | 'reset'
  /** A command with less time left is not sent. */
  leastTimeToLiveMs: number
  /** A device that is silent for more keepalives counts as offline, even if its connection is still open. */
  offlineAfterKeepalives: number
}

/** The stage with which each command is done. */
export type Proof = Readonly<Record<CommandKind, Exclude<ReportedStage, 'failed'>>>

/** How the hub treats the sessions of one kind of device. Shared by all of them. */
export interface SessionRules {
  /** Of all of these sessions. */
  dialect: DialectName
  pacing: Pacing
  proof: Proof
  /**
   * What begins a session: a message of the device, its subscription or its CONNECT. The hub then says in the device's
   * place what it is.
   */
  birth: 'message' | 'subscribe' | 'connect'
  /** Whether the device shows payments that it has missed. */
  canShowMissed: boolean
  /**
   * How long a device has to report that it has played an announcement that it has received. Until then, or until it
   * reports that, it gets no other one. Undefined: it gets the next one at once, and reports in its time.
   */
  playedWithinMs?: number
  /** How long a device is busy after a command has ended: it gets the next announcement afterwards. */
  busyMs?: (body: CommandBody) => number
}

/**
 * Carries an act of a session out again when the storage that was away is back. If the connection were closed instead, the
 * device could be away for a minute more (sb/1 1.6). The act may run twice.
 */
export type Patiently = <T>(act: () => Promise<T>) => Promise<T>

export interface SessionIdentity {
  deviceId: string
  serial: string
  /** The dialect's name of this session. */
  sessionId: string
  keepaliveMs: number
  /** The login hash of the key that it has connected with, in hex. */
  login: string
}
