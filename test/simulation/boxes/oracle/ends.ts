import type { Hub } from '../../hub/hub.ts'
import type { BoxMessage } from '../socket.ts'

/** What happens at the hub's end of one connection of a box. */
export interface BoxEndWatch {
  subscribed(topic: string): void
  /** A PUBLISH leaves the hub. */
  wrote(message: BoxMessage): void
  /** A PUBACK of the box comes in. */
  confirmed(messageId: number): void
  /** A PUBLISH of the box comes in. */
  heard(payload: string): void
  closedByHub(): void
  /** Nothing passes any more. */
  gone(): void
}

/** All that the oracle notes of a connection. */
export interface BoxEnd {
  readonly serial: string
  readonly hub: Hub
  readonly since: number
  isOpen: boolean
  isSubscribed: boolean
  /** A newer connection of the box was begun at this hub. */
  isTakenOver: boolean
  /** Messages without a PUBACK: when each has left, by `elapsed`, and the amount that it announces. */
  readonly unconfirmed: Map<number, { at: number; amount: string | undefined }>
}
