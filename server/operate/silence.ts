import { type AnnouncementTrail, isFinal } from '../announcements/announcement.ts'
import { type DeviceReport, OWN_DIALECT } from '../devices/device.ts'
import type { DeviceSettings } from '../settings/settings.ts'

/** What is known of a speaker of which somebody says that it is silent. */
export interface SilenceFacts {
  device: DeviceReport
  /** The partner on whose behalf it is asked. */
  askedFor?: string | undefined
  isPartnerDisabled: boolean
  isHubRunning: boolean
  /** Whether the hub has a port for speakers of other makers. Undefined when it is not known. */
  hasBoxPort?: boolean | undefined
  settings: Pick<DeviceSettings, 'reported'> | undefined
  /** Its announcements that were queued at `recentFrom` or later, newest first. */
  recent: readonly AnnouncementTrail[]
  recentFrom: number
  now: number
}

/** One cause, with the values that its sentence names. Instants are milliseconds. */
export type SilenceFinding =
  | { cause: 'revoked'; at: number }
  | { cause: 'unregistered' }
  /** It belongs to another partner than the one that asks. */
  | { cause: 'foreign'; clientId: string }
  | { cause: 'partner_disabled'; clientId: string }
  | { cause: 'locked' }
  /** Somebody logged in with its key, but said no birth. */
  | { cause: 'never_born'; leftAt: number }
  | { cause: 'never_connected' }
  /** A speaker of another maker has logged in, but asked for no topic. */
  | { cause: 'never_subscribed'; leftAt: number }
  /** A speaker of another maker. */
  | { cause: 'box_never_connected'; wireId: string }
  | { cause: 'no_box_port' }
  | { cause: 'no_hub'; lastSeenAt: number | undefined }
  /** `leftAt` is the end of its connection. A hub that was killed has noted none. */
  | {
      cause: 'offline'
      leftAt: number | undefined
      lastSeenAt: number | undefined
      /** Percent; only when it was low. */
      battery: { percent: number; at: number } | undefined
    }
  | { cause: 'volume_zero' }
  | ({ cause: 'failed'; at: number | undefined; reason: string | undefined } & Announcements)
  | ({ cause: 'unanswered'; isConnected: boolean } & Announcements)
  /** A speaker of another maker did not confirm that it has them. */
  | ({ cause: 'unconfirmed' } & Announcements)
  | ({ cause: 'unplayed' } & Announcements)
  /** They expired before they could be sent. */
  | ({ cause: 'untaken' } & Announcements)
  | { cause: 'no_payment'; since: number }
  | { cause: 'played_last'; at: number | undefined }
  /** A speaker of another maker has it, and does not say whether it has sounded. */
  | { cause: 'delivered_last'; at: number | undefined }
  | { cause: 'suppressed_last'; at: number | undefined }
  | { cause: 'under_way'; since: number | undefined }

/** Some announcements: when the first and the last of them were queued. */
export interface Announcements {
  count: number
  oldestAt: number | undefined
  newestAt: number | undefined
}

/** An announcement that is on its way for longer than this should have been answered: with all its resends it takes 21 s. */
const ANSWERED_WITHIN_MS = 30_000

/** A battery that was this low at the last report is a likely cause; percent. */
const LOW_BATTERY = 15

/** Finds why a speaker is silent, the most decisive cause first. There is always one. */
export function findSilence(facts: SilenceFacts): SilenceFinding[] {
  const { device } = facts
  if (device.revokedAt !== undefined) return [{ cause: 'revoked', at: device.revokedAt }]
  const known = [...belonging(facts), ...connection(facts), ...volume(facts), ...unheard(facts)]
  return known.length > 0 ? known : [lastHeard(facts)]
}

function belonging({ device, askedFor, isPartnerDisabled }: SilenceFacts): SilenceFinding[] {
  const { clientId, active } = device
  if (clientId === undefined) return [{ cause: 'unregistered' }]
  const found: SilenceFinding[] = []
  if (askedFor !== undefined && askedFor !== clientId) found.push({ cause: 'foreign', clientId })
  if (isPartnerDisabled) found.push({ cause: 'partner_disabled', clientId })
  if (!active) found.push({ cause: 'locked' })
  return found
}

function connection({ device, isHubRunning, hasBoxPort = true }: SilenceFacts): SilenceFinding[] {
  const { connected, lastBirthAt, leftAt, lastSeenAt, health, dialect, wireId = '' } = device
  if (connected) return []
  if (dialect !== OWN_DIALECT && isHubRunning && !hasBoxPort) return [{ cause: 'no_box_port' }]
  if (lastBirthAt === undefined && dialect !== OWN_DIALECT)
    return [
      leftAt === undefined ? { cause: 'box_never_connected', wireId } : { cause: 'never_subscribed', leftAt },
    ]
  if (lastBirthAt === undefined)
    return [leftAt === undefined ? { cause: 'never_connected' } : { cause: 'never_born', leftAt }]
  if (!isHubRunning) return [{ cause: 'no_hub', lastSeenAt }]
  const { battery: percent, reportedAt: at = 0 } = health ?? {}
  const battery = percent !== undefined && percent <= LOW_BATTERY ? { percent, at } : undefined
  // A birth after the end of a connection begins another one.
  const hasEnd = leftAt !== undefined && leftAt >= lastBirthAt
  return [{ cause: 'offline', leftAt: hasEnd ? leftAt : undefined, lastSeenAt, battery }]
}

function volume({ device: { health }, settings }: SilenceFacts): SilenceFinding[] {
  const percent = health?.volume ?? settings?.reported?.volume
  return percent === 0 ? [{ cause: 'volume_zero' }] : []
}

/** Of the announcements that came after the last one that was played, or delivered: how each kind of them ended. */
function unheard({ device, recent, now }: SilenceFacts): SilenceFinding[] {
  const lastPlayed = recent.findIndex(({ stage }) => stage === 'played' || stage === 'delivered')
  const since = lastPlayed < 0 ? recent : recent.slice(0, lastPlayed)
  const {
    failed = [],
    untaken = [],
    unanswered = [],
    unconfirmed = [],
    unplayed = [],
  } = Object.groupBy(since, (one) => fate(one, now))
  const found: SilenceFinding[] = []
  const [newest] = failed
  if (newest)
    found.push({ cause: 'failed', at: newest.times.failed, reason: newest.reason, ...counted(failed) })
  if (unanswered.length > 0)
    found.push({ cause: 'unanswered', isConnected: device.connected, ...counted(unanswered) })
  if (unconfirmed.length > 0) found.push({ cause: 'unconfirmed', ...counted(unconfirmed) })
  if (unplayed.length > 0) found.push({ cause: 'unplayed', ...counted(unplayed) })
  if (untaken.length > 0) found.push({ cause: 'untaken', ...counted(untaken) })
  return found
}

type Fate = 'failed' | 'untaken' | 'unanswered' | 'unconfirmed' | 'unplayed' | 'other'

function fate({ stage, times, reason }: AnnouncementTrail, now: number): Fate {
  if (stage === 'failed') return 'failed'
  if (stage === 'expired' && reason === 'unconfirmed') return 'unconfirmed'
  const isDue = times.sent !== undefined && times.sent + ANSWERED_WITHIN_MS <= now
  if (stage !== 'expired' && (isFinal(stage) || !isDue)) return 'other'
  if (times.received !== undefined) return 'unplayed'
  return times.sent === undefined ? 'untaken' : 'unanswered'
}

function lastHeard({ recent, recentFrom }: SilenceFacts): SilenceFinding {
  const [newest] = recent
  if (!newest) return { cause: 'no_payment', since: recentFrom }
  const { stage, times } = newest
  if (stage === 'played') return { cause: 'played_last', at: times.played }
  if (stage === 'delivered') return { cause: 'delivered_last', at: times.delivered }
  if (stage === 'suppressed') return { cause: 'suppressed_last', at: times.queued }
  return { cause: 'under_way', since: times.queued }
}

const counted = (some: readonly AnnouncementTrail[]): Announcements => ({
  count: some.length,
  oldestAt: some.at(-1)?.times.queued,
  newestAt: some[0]?.times.queued,
})
