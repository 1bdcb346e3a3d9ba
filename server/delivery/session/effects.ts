import type { Clock } from '../../platform/clock.ts'
import type { Command, CommandEnd } from './command.ts'
import type { SessionRules } from './ports.ts'

export interface SessionState {
  /** Commands are sent while it is `open`. `held`: what the session begins again with is being read. */
  phase: 'unborn' | 'open' | 'held' | 'ended'
  /** In order of arrival. */
  queue: readonly Command[]
  /** Commands that have left the queue and have not ended, in the order in which they left it. */
  sent: readonly Sent[]
  /** The command that blocks the queue. `next` clears it. */
  inFlight: Sent | undefined
  /** The device is busy with an announcement until then, by the clock's `elapsed`. */
  busyUntil: number
}

/** A command that has left the queue. */
export interface Sent {
  readonly command: Command
  phase: 'storing' | 'unanswered' | 'received' | 'overdue' | 'ended'
  /** When it was first sent, by the clock's `elapsed`. */
  firstAt: number
  resends: number
  /** Acks that are being stored. Until then it is not sent again. */
  acksUnderWay: number
  timer: 'resend' | 'overdue' | 'expiry' | 'last_ack' | 'unproven'
  cancelTimer: () => void
}

export type Effect =
  /** Store its number, and that it is sent. Then call `stored`. */
  | { type: 'store'; sent: Sent }
  /** Check that it may be sent again. Then call `checked`. */
  | { type: 'check'; sent: Sent }
  /** Send it. If it does not fit the device, call `finish`. */
  | { type: 'send'; sent: Sent }
  /** Call `timeOver` after so many milliseconds, unless it has ended. */
  | { type: 'wait'; sent: Sent; ms: number }
  | { type: 'cancel'; sent: Sent }
  | { type: 'received'; command: Command }
  | { type: 'ended'; command: Command; end: CommandEnd }
  /** Call `next`. */
  | { type: 'next' }
  /** Call `next` after so many milliseconds. */
  | { type: 'nextLater'; ms: number }
  /** Reset the connection. */
  | { type: 'reset' }

export interface Rules {
  rules: SessionRules
  clock: Clock
}
