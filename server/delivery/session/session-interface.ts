import type { Ack } from '../../../protocol/messages/ack.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Outbox } from '../ports.ts'
import type { Outgoing } from './command.ts'

/** One connection of a device, from its birth on: what is sent, in which order, and when again. */
export interface Session {
  readonly deviceId: string
  readonly serial: string
  readonly sid: string
  /** What is on the screen, or on its way there. */
  readonly screen: { bill: string | undefined; profile: string | undefined }
  /** When anything was last heard from the device, by the clock's `elapsed`. */
  lastSeenAt: number
  born(): boolean
  /** Nothing is under way or waiting: what is pushed now leaves at once. */
  isFree(): boolean
  /**
   * Starts, or starts over: the device was born in this session, or has to be welcomed anew. `rx` is what its birth
   * said; codes under way are kept.
   */
  begin(rx?: number): void
  /** Sends nothing until it begins anew: by then it is known what is still fresh. */
  hold(): void
  /** Adds a command; it goes out as soon as its turn comes. */
  push(command: Outgoing): void
  /** Whether a command of this id is waiting or under way. */
  has(commandId: string): boolean
  /** Forgets commands that are waiting or under way. */
  withdraw(which: (command: Outgoing) => boolean): void
  /**
   * An ack has come and is being stored: until `acked` its command is not sent again. When it can't be stored, the
   * connection is closed.
   */
  hears(ack: Ack): void
  /** Moves a command on, once its ack is stored; false when none of that id is under way. */
  acked(ack: Ack): boolean
  /** Ends the session: nothing more is sent. */
  end(): void
  close(): void
}

export interface SessionDeps {
  outbox: Pick<Outbox, 'nextNumber' | 'markSent' | 'isOpen'>
  clock: Clock
  log: Logger
}

export interface SessionIdentity {
  deviceId: string
  serial: string
  sid: string
  downKey: Buffer
}
