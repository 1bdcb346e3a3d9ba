import { parsePlain } from '../../../protocol/frame.ts'
import { ack as ackSchema } from '../../../protocol/messages/ack.ts'
import type { Hub } from '../hub/hub.ts'

/** The hub's end of a session. */
export interface Sender {
  readonly serial: string
  readonly sid: string
  readonly hub: Hub
  /** Its device was born at another hub since: what it sends is worth nothing. */
  readonly isSuperseded: boolean
}

/** All that the oracle notes of it. */
export interface End extends Sender {
  isSuperseded: boolean
  isImpostor: boolean
  /** A newer connection of the device was begun at this hub. */
  isTakenOver: boolean
  state: 'connecting' | 'open' | 'closed'
  isSubscribed: boolean
  isBirthHeard: boolean
  isBorn: boolean
  birthsUnderWay: number
  /** A birth was heard while another one was taken in. */
  isBornAgain: boolean
  admittedAt: number
  lastHeardAt: number
  /** Packets that must be confirmed, oldest first; the steps that they report. */
  unconfirmed: { messageId: number; step: AckStep | undefined }[]
  stalledAt: number | undefined
  heldSince: number | undefined
  mayBeClosed: boolean
  /** Nothing passes any more. The hub hears of it in a later turn of the event loop. */
  isGone: boolean
}

export interface AckStep {
  id: string
  n: number
  st: string
}

export function newEnd(
  of: Pick<Sender, 'serial' | 'sid' | 'hub'>,
  isImpostor: boolean,
  elapsedMs: number,
): End {
  return {
    ...of,
    isSuperseded: false,
    isTakenOver: false,
    isImpostor,
    state: 'connecting',
    isSubscribed: false,
    isBirthHeard: false,
    isBorn: false,
    birthsUnderWay: 0,
    isBornAgain: false,
    admittedAt: elapsedMs,
    lastHeardAt: elapsedMs,
    unconfirmed: [],
    stalledAt: undefined,
    heldSince: undefined,
    mayBeClosed: false,
    isGone: false,
  }
}

/** What an ack reports. */
export function stepOf(payload: Uint8Array): AckStep | undefined {
  const opened = parsePlain(payload)
  const parsed = ackSchema.safeParse(opened.ok ? opened.body : undefined)
  if (!parsed.success) return undefined
  const { id, n, st } = parsed.data
  return { id, n, st }
}
