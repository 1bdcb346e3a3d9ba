import type { Language } from '../../protocol/money/language.ts'
import { isoInstant } from '../platform/clock.ts'
import type { Stage } from './stages.ts'

/** How long a payment may be spoken. Later it is shown as missed, and never spoken as if it were new (sb/1 7.10). */
export const ANNOUNCEMENT_FRESH_MS = 120_000

/** Why a device did not do what a command asked. */
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

/** An announcement as proof: the stage that it reached and when it reached each. */
export interface AnnouncementTrail {
  serial: string
  n: number | undefined
  stage: Stage
  times: { [S in Stage]?: number }
  /** Why it failed, as the device said. */
  reason: string | undefined
}

/** The time of each stage that was reached, as partners read it. */
export function isoTimes(times: AnnouncementTrail['times']): Record<string, string> {
  return Object.fromEntries(Object.entries(times).map(([stage, at]) => [stage, isoInstant(at)]))
}
