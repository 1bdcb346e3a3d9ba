import type { AnyCommand } from '../../../../protocol/messages/command.ts'
import type { Settings } from '../../../../protocol/messages/settings.ts'
import type { Fault } from './faults.ts'

/** Why there is no link. `code` is the CONNACK's when the hub refused the login. */
export interface LinkEnd {
  reason: string
  code?: 4 | 5
}

/** A change of settings at the speaker itself; what is left out stays as it is. */
export type Adjustment = Partial<Pick<Settings, 'volume' | 'lang'>>

/** What can happen to the speaker. Every event carries the speaker's own clock, `nowMs`. */
export type DeviceEvent = { nowMs: number } & (
  | { type: 'tick' }
  /** A CONNECT is on its way. */
  | { type: 'connecting' }
  /** The SUBACK has come: the session is open for the birth. */
  | { type: 'opened'; sid: string }
  /** There is no link; the next attempt is due in `retryInMs`, or none is planned. */
  | { type: 'closed'; end: LinkEnd; retryInMs: number | undefined }
  /** A verified and well-formed command; `bytes` is its whole PUBLISH. */
  | { type: 'command'; command: AnyCommand; bytes: number }
  /** A verified envelope whose type or body the speaker doesn't know. */
  | { type: 'unknown_command'; id: string; n: number; t: string }
  /** The hub has stored the ack that was published under this token. */
  | { type: 'ack_stored'; token: number }
  /** The hub has stored the settings report of this version. */
  | { type: 'report_stored'; ver: number }
  /** Somebody has pressed the buttons of the speaker. */
  | { type: 'adjusted'; change: Adjustment }
  /** A person has read the notice of missed payments and waves it away. */
  | { type: 'dismiss' }
  /** Something in the speaker breaks, or is repaired. */
  | { type: 'fault'; fault: Fault; on: boolean }
)
