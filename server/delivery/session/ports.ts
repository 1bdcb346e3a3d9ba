import type { ReasonCode } from '../../announcements/announcement.ts'
import type { Command, CommandKind } from './command.ts'

/** The connection to one device, as the broker offers it. */
export interface DeviceLink {
  /** Writes one message to the device's connection. Does nothing when the connection is gone. */
  publish(payload: Uint8Array): void
  /** Closes the connection. */
  close(): void
}

/** A stage that a device reports for a command. */
export type ReportedStage = 'received' | 'shown' | 'played' | 'failed'

/** A device's answer to a command. */
export interface Ack {
  commandId: string
  commandNumber: number
  stage: ReportedStage
  /** Only with `failed`. */
  reason: ReasonCode | undefined
}

/** One sending of a command. */
export type Sending = Pick<Command, 'id' | 'body' | 'expiresAt'> & { commandNumber: number }

/** Encodes the commands of one session. */
export interface CommandWriter {
  /** The message of a sending at `now`. Undefined when no form of the command fits the device's buffer. */
  write(sending: Sending, now: number, bufferBytes: number): Uint8Array | undefined
}

/** When a command is sent again, and when a device counts as offline. */
export interface Pacing {
  /** Times after the first sending at which a command without an answer is sent again. */
  resendAfterMs: readonly number[]
  /** After this time without an answer, a command no longer blocks the other classes. */
  yieldAfterMs: number
  /** A command with less time left is not sent. */
  leastTimeToLiveMs: number
  /** A device that is silent for more keepalives counts as offline, even if its connection is still open. */
  offlineAfterKeepalives: number
}

/** The stage with which each command is done. */
export type Proof = Readonly<Record<CommandKind, Exclude<ReportedStage, 'failed'>>>

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
