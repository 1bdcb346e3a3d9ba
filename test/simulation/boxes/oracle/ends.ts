import type { Hub } from '../../hub/hub.ts'
import type { BoxMessage } from '../socket.ts'

/** A message without a PUBACK for so long ends its connection. */
export const RESET_AFTER_MS = 10_000
/** A hub that has failed to store something closes the connections that it concerns within this time. */
const FAILED_MS = 10_000
/** A box without a subscription is left after a minute. */
const UNBORN_MS = 60_000

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

export function newEnd(serial: string, hub: Hub, since: number): BoxEnd {
  const unconfirmed = new Map()
  return { serial, hub, since, unconfirmed, isOpen: true, isSubscribed: false, isTakenOver: false }
}

/** Whether the hub has a reason to close it, by what has passed on it alone. */
export function isToBeClosed(end: BoxEnd, elapsed: number): boolean {
  const { hub, since, isTakenOver, isSubscribed, unconfirmed } = end
  const isOverdue = [...unconfirmed.values()].some(({ at }) => elapsed - at >= RESET_AFTER_MS)
  const isUnborn = !isSubscribed && elapsed - since >= UNBORN_MS
  const hasFailed = elapsed - hub.cable.failedAt() < FAILED_MS
  return isOverdue || isUnborn || isTakenOver || hasFailed
}
