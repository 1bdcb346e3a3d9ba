import type { BoxMemory } from '../devices/device.ts'
import { isFinal, type Stage } from './announcement.ts'
import { ASKED_AGAIN_MS } from './expiry.ts'

/** A stored announcement of the device that is born: on its way, or missed and not yet shown as missed. */
export interface StoredAnnouncement {
  /** The command's number. */
  n: number
  stage: Stage
  sentAt: number | undefined
  receivedAt: number | undefined
  /** When a birth has voided its `received`. Undefined again after another `received`. */
  receivedVoidAt: number | undefined
  expiresAt: number
  /** The reason that the device gave when it refused the announcement. */
  reason: string | undefined
  /** Of a speaker of another maker: it was given to two sessions. 1: a repeat may have sounded again. */
  mayRepeat: number | undefined
}

/** What a birth says of the announcements of its device. */
export interface BirthWitness {
  /** The highest number that the device has ever played. */
  played: number
  /** What a speaker of another maker remembers. Undefined for sb/1. */
  box: BoxMemory | undefined
}

/** The changes to the stored announcements. An announcement is in one list at most, and may be voided besides. */
export interface Reconciliation<A> {
  /** Become played. */
  played: A[]
  /** Become expired. */
  expired: A[]
  /** Stay expired, but are not shown as missed. */
  shown: A[]
  /** Get new numbers, in this order. */
  renumbered: A[]
  /** Their `received` no longer counts. */
  voided: A[]
  /** Become delivered. */
  delivered: A[]
  /** Become expired, with the reason `unconfirmed`. */
  unconfirmed: A[]
  /** Are sent a second time, to a speaker that knows what it has had. */
  resent: A[]
  /** Are sent a second time, to a speaker that may say them again. */
  repeated: A[]
}

/**
 * Brings the stored stages in line with a birth. The rules of sb/1; for speakers of other makers, see `listForBox`.
 *
 *  - An announcement that was received since the birth before and is numbered up to `played`, and a sent one numbered
 *    exactly `played`, was played although no ack came. It becomes played when its time is over, or too short to send it
 *    again.
 *  - Any other open announcement whose time is over becomes expired.
 *  - An announcement that has expired before, and was played by the first rule, is not shown as missed. One with a
 *    reason was refused by the device itself: it was not played, whatever its number is.
 *  - An announcement that was never sent, but is numbered up to `played`, gets a new number. The hub was restored from
 *    an older backup, and the device would take the number for a repeat.
 *  - A received announcement numbered above `played` was not spoken, and the device has forgotten it: its `received` is
 *    void. Why the mark: a later birth may carry a higher `played`, and would prove nothing about this one (sb/1 7.18).
 */
export function reconcile<A extends StoredAnnouncement>(
  announcements: readonly A[],
  { played, box }: BirthWitness,
  now: number,
): Reconciliation<A> {
  const changes: Reconciliation<A> = {
    ...{ played: [], expired: [], shown: [], renumbered: [], voided: [] },
    ...{ delivered: [], unconfirmed: [], resent: [], repeated: [] },
  }
  if (box) {
    for (const one of announcements) {
      const list = listForBox(one, box, now)
      if (list) changes[list].push(one)
    }
    return changes
  }
  for (const one of announcements) {
    const isReceived = one.receivedAt !== undefined && one.receivedVoidAt === undefined
    const wasPlayed = (isReceived && one.n <= played) || (one.sentAt !== undefined && one.n === played)
    if (isReceived && one.n > played) changes.voided.push(one)
    if (isFinal(one.stage)) {
      if (one.stage === 'expired' && one.reason === undefined && wasPlayed) changes.shown.push(one)
    } else if (wasPlayed && one.expiresAt <= now + ASKED_AGAIN_MS) changes.played.push(one)
    else if (one.expiresAt <= now) changes.expired.push(one)
    else if (one.stage === 'queued' && one.n <= played) changes.renumbered.push(one)
  }
  changes.renumbered.sort((a, b) => a.n - b.n)
  return changes
}

/**
 * A speaker of another maker has no watermark: what it has had is known by its confirmations alone.
 *
 *  - One that was never sent stays while it is fresh.
 *  - One that was sent and not confirmed is sent again once: a lost connection is common, a lost confirmation rare. After
 *    the second session nobody sends it: it expires as `unconfirmed`.
 *  - One that was confirmed is delivered, unless the device can still say whether it has played it (`until`): then it is
 *    sent again once, under the id that the device knows.
 */
function listForBox(
  { stage, expiresAt, mayRepeat }: StoredAnnouncement,
  box: BoxMemory,
  now: number,
): 'expired' | 'unconfirmed' | 'delivered' | 'resent' | 'repeated' | undefined {
  if (isFinal(stage)) return undefined
  const isFresh = expiresAt > now
  if (stage === 'queued') return isFresh ? undefined : 'expired'
  const isSettled = stage === 'received' && box.until === 'received'
  if (isFresh && !isSettled && mayRepeat === undefined) return box.mayRepeat ? 'repeated' : 'resent'
  return stage === 'received' ? 'delivered' : 'unconfirmed'
}
