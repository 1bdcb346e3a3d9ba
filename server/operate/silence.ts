import { type AnnouncementTrail, isFinal, type ReasonCode } from '../announcements/announcement.ts'
import type { DeviceReport } from '../devices/device.ts'
import type { DeviceSettings } from '../settings/settings.ts'
import { when } from './for-people.ts'

/** What is known of a speaker of which somebody says that it is silent. */
export interface SilenceFacts {
  device: DeviceReport
  /** The partner on whose behalf it is asked. */
  askedFor?: string | undefined
  isPartnerDisabled: boolean
  isHubRunning: boolean
  settings: Pick<DeviceSettings, 'reported'> | undefined
  /** Its announcements that were queued at `recentFrom` or later, newest first. */
  recent: readonly AnnouncementTrail[]
  recentFrom: number
  now: number
}

/** An announcement that is on its way for longer than this should have been answered: with all its resends it takes 21 s. */
const ANSWERED_WITHIN_MS = 30_000

/** A battery that was this low at the last report is a likely cause; percent. */
const LOW_BATTERY = 15

const REASONS: Record<ReasonCode, string> = {
  expired: 'it came too late',
  bad_mac: 'the device could not verify it: it has another key, or mixes up its sessions',
  unsupported: 'its firmware does not know the command',
  too_large: 'it does not fit the receive buffer of the device',
  busy: 'it was busy',
  no_clip: 'it has no sound for a word of the sentence',
  audio_failed: 'its loudspeaker or amplifier failed',
  display_failed: 'its screen failed',
  muted: 'it is muted',
  not_ready: 'it was not ready',
}

/** Says in plain sentences why a speaker is silent, the most decisive first. There is always one. */
export function whySilent(facts: SilenceFacts): string[] {
  const { device } = facts
  if (device.revokedAt !== undefined)
    return [`It was revoked at ${at(device.revokedAt)}: the hub refuses it for good.`]
  const known = [...belonging(facts), ...connection(facts), ...volume(facts), ...unheard(facts)]
  return known.length > 0 ? known : [lastHeard(facts)]
}

function belonging({ device, askedFor, isPartnerDisabled }: SilenceFacts): string[] {
  const { clientId, active } = device
  if (clientId === undefined) return ['No partner has registered it: it announces for no shop.']
  const found: string[] = []
  if (askedFor !== undefined && askedFor !== clientId)
    found.push(`It belongs to another partner, ${clientId}: only that one can release it.`)
  if (isPartnerDisabled) found.push(`Its partner ${clientId} is disabled: its payments are refused.`)
  if (!active) found.push('Its partner has locked it: it stays silent until it is unlocked.')
  return found
}

function connection({ device, isHubRunning }: SilenceFacts): string[] {
  const { connected, lastBirthAt, leftAt, lastSeenAt, health } = device
  if (connected) return []
  if (lastBirthAt === undefined && leftAt !== undefined)
    return [
      `Its key was used until ${at(leftAt)}, but it was never born: after its subscription it did not say who it is (sb/1 4.2).`,
    ]
  if (lastBirthAt === undefined)
    return [
      'It has never connected, its key was never used: check its power, its network, the address of the hub and its key.',
    ]
  if (!isHubRunning)
    return [`No hub is running: no speaker is connected. It was last seen at ${at(lastSeenAt)}.`]
  const { battery, reportedAt } = health ?? {}
  const isLow = battery !== undefined && battery <= LOW_BATTERY
  const why = isLow ? ` (battery was ${battery} % at ${at(reportedAt)})` : ''
  // A hub that was killed has noted no end.
  const hasEnd = leftAt !== undefined && leftAt >= lastBirthAt
  return [
    hasEnd
      ? `It has been offline since ${at(leftAt)}${why}.`
      : `It is offline; it was last seen at ${at(lastSeenAt)}${why}.`,
  ]
}

function volume({ device: { health }, settings }: SilenceFacts): string[] {
  const percent = health?.volume ?? settings?.reported?.volume
  return percent === 0 ? ['Its volume is 0.'] : []
}

/** Of the announcements that came after the last played one: how each kind of them ended. */
function unheard({ device, recent, now }: SilenceFacts): string[] {
  const lastPlayed = recent.findIndex(({ stage }) => stage === 'played')
  const since = lastPlayed < 0 ? recent : recent.slice(0, lastPlayed)
  const {
    failed = [],
    untaken = [],
    unanswered = [],
    unplayed = [],
  } = Object.groupBy(since, (one) => fate(one, now))
  const [newest] = failed
  return [
    newest &&
      `It failed to play ${count(failed)}, the last one at ${at(newest.times.failed)}: ${reasonOf(newest)}.`,
    unanswered.length > 0 &&
      `It ${device.connected ? 'is connected, but ' : ''}did not answer ${count(unanswered)}.`,
    unplayed.length > 0 && `It took ${count(unplayed)}, but did not report that it played.`,
    untaken.length > 0 && `${count(untaken)} expired unsent, because it was away.`,
  ].filter((sentence) => typeof sentence === 'string')
}

type Fate = 'failed' | 'untaken' | 'unanswered' | 'unplayed' | 'other'

function fate({ stage, times }: AnnouncementTrail, now: number): Fate {
  if (stage === 'failed') return 'failed'
  const isDue = times.sent !== undefined && times.sent + ANSWERED_WITHIN_MS <= now
  if (stage !== 'expired' && (isFinal(stage) || !isDue)) return 'other'
  if (times.received !== undefined) return 'unplayed'
  return times.sent === undefined ? 'untaken' : 'unanswered'
}

function lastHeard({ recent, recentFrom }: SilenceFacts): string {
  const [newest] = recent
  if (!newest) return `Its shops have had no payment since ${at(recentFrom)} (no further back was looked).`
  if (newest.stage === 'played')
    return `It played its last announcement at ${at(newest.times.played)}: its shops have had no payment since.`
  if (newest.stage === 'suppressed')
    return `It was locked when the last payment came, at ${at(newest.times.queued)}: no payment since.`
  return `An announcement has been on its way to it since ${at(newest.times.queued)}.`
}

function reasonOf({ reason }: AnnouncementTrail): string {
  const sentence = Object.entries(REASONS).find(([code]) => code === reason)?.[1]
  return sentence === undefined ? (reason ?? 'it gave no reason') : `${sentence} (${reason})`
}

function count(some: readonly AnnouncementTrail[]): string {
  const [newest, oldest] = [some[0], some.at(-1)]
  const many = some.length === 1 ? '1 announcement' : `${some.length} announcements`
  return newest === oldest
    ? `${many} of ${at(newest?.times.queued)}`
    : `${many} since ${at(oldest?.times.queued)}`
}

function at(ms: number | undefined): string {
  return ms === undefined ? 'an unknown time' : when(ms)
}
