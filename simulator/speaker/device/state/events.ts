import type { AnyCommand } from '../../../../protocol/messages/command.ts'
import type { Settings } from '../../../../protocol/messages/settings.ts'
import type { Fault } from './faults.ts'

/** A CONNACK after which the same CONNECT would be refused again (sb/1 1.6). */
export type Refusal = 1 | 2 | 4 | 5

/** Why there is no link. `code` is the CONNACK's when the hub refused the speaker. */
export interface LinkEnd {
  reason: string
  code?: Refusal
}

/** A change of settings at the speaker itself; omitted fields stay unchanged. */
export type Adjustment = Partial<Pick<Settings, 'volume' | 'lang'>>

/** The device's input. Every event carries the speaker's own clock, `nowMs`. */
export type DeviceEvent = { nowMs: number } & (
  | { type: 'tick' }
  /** A CONNECT was sent. */
  | { type: 'connecting' }
  /** The SUBACK arrived: the session, under this K in base64url, is ready for the birth. */
  | { type: 'opened'; sid: string; key: string }
  /**
   * There is no link. The next attempt is in `retryInMs`; undefined when none is planned. `unplugged`: the network
   * cable is pulled.
   */
  | { type: 'closed'; end: LinkEnd; retryInMs: number | undefined; unplugged?: boolean }
  /** A verified, well-formed command; `bytes` is the size of its whole PUBLISH. */
  | { type: 'command'; command: AnyCommand; bytes: number }
  /** A verified envelope whose type or body the speaker doesn't know. */
  | { type: 'unknown_command'; id: string; n: number; t: string }
  /** The hub has stored the ack that was published under this token. */
  | { type: 'ack_stored'; token: number }
  /** Somebody pressed the speaker's buttons. */
  | { type: 'adjusted'; change: Adjustment }
  /** Somebody dismissed the notice of missed payments. */
  | { type: 'dismiss' }
  /** A fault was switched on or off. */
  | { type: 'fault'; fault: Fault; on: boolean }
)
