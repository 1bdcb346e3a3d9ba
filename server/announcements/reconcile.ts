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
}

/**
 * Brings the stored stages in line with a birth. `played` is the highest number that the device has ever played.
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
  played: number,
  now: number,
): Reconciliation<A> {
  const changes: Reconciliation<A> = { played: [], expired: [], shown: [], renumbered: [], voided: [] }
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
