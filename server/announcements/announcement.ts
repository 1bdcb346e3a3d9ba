import type { Language } from '../../protocol/money/language.ts'
import { SOUND_PROOFS, type SoundProof, type Speaker } from '../devices/device.ts'
import { isoInstant } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'

export type { SoundProof }

/** How long a payment may be spoken. Later it is shown as missed, and never spoken as if it were new (sb/1 7.10). */
export const ANNOUNCEMENT_FRESH_MS = 120_000

/**
 * The stages of an announcement. They only move forward, in this order. The last five are final.
 *
 * `delivered`: the speaker of another maker has it, and nobody knows whether it has sounded.
 */
export const STAGES = [
  ...(['queued', 'sent', 'received'] as const),
  ...(['played', 'delivered', 'failed', 'expired', 'suppressed'] as const),
] as const
export type Stage = (typeof STAGES)[number]

/** Whether a proof says more than the one that is known. */
export function provesMore(proof: SoundProof, known: SoundProof | undefined): boolean {
  return known === undefined || SOUND_PROOFS.indexOf(proof) > SOUND_PROOFS.indexOf(known)
}

/** An announcement at one of these stages is on its way. It may move to any later stage. */
export const OPEN_STAGES = ['queued', 'sent', 'received'] as const satisfies readonly Stage[]

export function isFinal(stage: Stage): boolean {
  return !OPEN_STAGES.some((open) => open === stage)
}

/** The stages from which an announcement may move to `stage`. */
export function stagesBefore(stage: Stage): Stage[] {
  return OPEN_STAGES.filter((open) => STAGES.indexOf(open) < STAGES.indexOf(stage))
}

/**
 * Why a device did not do what a command asked. Two are the hub's own:
 *  - `over_limit`: the amount is above what the device can say. It was never sent.
 *  - `unconfirmed`: it was sent to a speaker of another maker, which has never confirmed it. It may have sounded.
 */
export type ReasonCode =
  | 'expired'
  | 'bad_mac'
  | 'unsupported'
  | 'too_large'
  | 'busy'
  | 'no_clip'
  | 'audio_failed'
  | 'display_failed'
  | 'muted'
  | 'not_ready'
  /** Above the highest amount that a box can say. It was never sent. */
  | 'over_limit'
  /** It was sent to a box, and the box never confirmed it. */
  | 'unconfirmed'

/** One payment, announced by one speaker. */
export interface Announcement {
  /** ULID; the command's id. */
  id: string
  deviceId: string
  serial: string
  /** The command's number, given once and kept for every resend. */
  n: number
  stage: Stage
  amount: string
  /** The number of the bill that is paid by it; empty when none is (sb/1 7.12). */
  paidBill: string
  lang: Language
  /** Milliseconds. */
  expiresAt: number
}

/** An announcement of a new payment. It gets its number when it is stored. */
export interface PlannedAnnouncement
  extends Pick<Announcement, 'id' | 'deviceId' | 'lang' | 'paidBill' | 'expiresAt'> {
  stage: 'queued' | 'suppressed'
}

/** One announcement for every speaker of the store. That of a locked speaker is stored as suppressed. */
export function planAnnouncements(
  { receivedAt, paidBill }: { receivedAt: number; paidBill: string },
  speakers: readonly Speaker[],
  ids: Pick<Ids, 'commandId'>,
): PlannedAnnouncement[] {
  return speakers.map((speaker) => ({
    id: ids.commandId(),
    deviceId: speaker.deviceId,
    stage: speaker.active ? 'queued' : 'suppressed',
    lang: speaker.lang,
    paidBill,
    expiresAt: receivedAt + ANNOUNCEMENT_FRESH_MS,
  }))
}

/** An announcement as proof: the stage that it reached and when it reached each. */
export interface AnnouncementTrail {
  serial: string
  n: number | undefined
  stage: Stage
  times: { [S in Stage]?: number }
  /** Why it failed or expired: as the device said, or one of the hub's own reasons. */
  reason: string | undefined
  /** What is known of its sound. Undefined for sb/1, whose stages say it, and before a speaker of another maker has it. */
  proof?: SoundProof
  /** It was sent twice to a speaker that does not know what it has had: it may have sounded twice. */
  mayRepeat?: true
}

/** The time of each stage that was reached, as partners read it. */
export function isoTimes(times: AnnouncementTrail['times']): Record<string, string> {
  return Object.fromEntries(Object.entries(times).map(([stage, at]) => [stage, isoInstant(at)]))
}
