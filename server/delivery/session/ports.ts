import type { ReasonCode } from '../../announcements/announcement.ts'
import type { Outbox } from '../../announcements/ports.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
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

export interface SessionDeps {
  outbox: Pick<Outbox, 'nextNumber' | 'markSent' | 'isOpen'>
  patiently: Patiently
  pacing: Pacing
  proof: Proof
  /** Other hubs work on the same storage. */
  isShared?: boolean
  /** Another session owns the device. */
  lost(session: Session): void
  clock: Clock
  log: Logger
}

export interface SessionIdentity {
  deviceId: string
  serial: string
  /** The dialect's name of this session. */
  sessionId: string
  keepaliveMs: number
  /** The login hash of the key that it has connected with, in hex. */
  login: string
}

/** One connection of a device, from its birth: sends commands in order, and sends them again. */
export interface Session extends SessionIdentity {
  /** What the screen shows, or what is on its way to it. */
  readonly screen: { bill: string | undefined; profile: string | undefined }
  /** What the session begins with is being read. It is stale when the device was to be told of a change since. */
  beginning: { isStale: boolean } | undefined
  /** When the device was last heard, by the clock's `elapsed`. */
  lastSeenAt: number
  isBorn(): boolean
  /** All announcements up to this number were read, or ended before the session began. 0 before its birth. */
  knownNumber: number
  /** A number was given. False when the session does not know all numbers before it. */
  learn(commandNumber: number): boolean
  /** All announcements up to this number were read. */
  knowAll(commandNumber: number): void
  /** Nothing is in flight or queued: a command that is pushed now is sent at once. */
  isIdle(): boolean
  /**
   * Starts or restarts the session: the device was born, or is welcomed again. Drops all commands but verification
   * codes. `bufferBytes` is the receive buffer that the birth reported, and `numbers` are for the commands that come
   * first.
   */
  begin(bufferBytes?: number, numbers?: readonly number[]): void
  /** Stops sending until the next `begin`, which knows the announcements that are still fresh. */
  hold(): void
  /** Queues a command. It is sent when its turn comes. */
  push(command: Command): void
  /** Whether a command with this id is queued or sent. */
  has(commandId: string): boolean
  /** What a command of this session that was sent and has not ended is. */
  kindOf(commandId: string): CommandKind | undefined
  /** Drops commands that are queued or sent. */
  withdraw(which: (command: Command, isSent: boolean) => boolean): void
  /**
   * An ack arrived and is about to be stored: its command is not sent again until `ackStored`. False when a command with
   * this id was sent under another number: then the ack must be ignored. When the ack can't be stored, the connection
   * is closed.
   */
  ackArrived(ack: Ack): boolean
  /** Moves a command forward after its ack was stored. False when no such command was sent in this session. */
  ackStored(ack: Ack): boolean
  /** Ends the session. Nothing is sent any more. */
  end(): void
  /** Closes the connection. */
  close(): void
}
