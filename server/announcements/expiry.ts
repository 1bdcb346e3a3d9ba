import { ANNOUNCEMENT_FRESH_MS } from './announcement.ts'

/** A sent announcement may have been played although no ack has come: it expires this long after its time. */
export const ACK_GRACE_MS = 60_000
/**
 * A welcome and an announcement, with all their resends, take this long when the device does not answer (sb/1 7.3).
 * An announcement that has more time left at a birth is sent again, and the device itself reports its stage.
 */
export const ASKED_AGAIN_MS = 30_000

/** The latest `expiresAt` of the announcements that end now. */
export interface DueLimits {
  /** For announcements that were never sent. */
  unsent: number
  /** For all others. */
  sent: number
}

/**
 * Which announcements that are on their way end at `now`. `ackedBy` is earlier than `now` after the clock was set
 * forward, while acks may still come.
 */
export function dueLimits(now: number, ackedBy: number): DueLimits {
  return { unsent: now, sent: Math.min(now, ackedBy - ACK_GRACE_MS) }
}

/** The earliest and the latest `expiresAt` of the announcements that were queued between two instants. */
export function expiriesOfQueued(since: number, until: number): { from: number; to: number } {
  return { from: since + ANNOUNCEMENT_FRESH_MS, to: until + ANNOUNCEMENT_FRESH_MS }
}
