import type { ReasonCode } from '../announcements/announcement.ts'
import { when } from './for-people.ts'
import { type Announcements, findSilence, type SilenceFacts, type SilenceFinding } from './silence.ts'

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
  over_limit: 'the amount is higher than the device can say',
  unconfirmed: 'the device did not confirm that it has it',
  not_ready: 'it was not ready',
}

/** Says in plain sentences why a speaker is silent, the most decisive first. There is always one. */
export const whySilent = (facts: SilenceFacts): string[] => findSilence(facts).map(silenceInEnglish)

/** The sentence of a finding. */
export function silenceInEnglish(found: SilenceFinding): string {
  switch (found.cause) {
    case 'revoked':
      return `It was revoked at ${at(found.at)}: the hub refuses it for good.`
    case 'unregistered':
      return 'No partner has registered it: it announces for no shop.'
    case 'foreign':
      return `It belongs to another partner, ${found.clientId}: only that one can release it.`
    case 'partner_disabled':
      return `Its partner ${found.clientId} is disabled: its payments are refused.`
    case 'locked':
      return 'Its partner has locked it: it stays silent until it is unlocked.'
    case 'never_born':
      return `Its key was used until ${at(found.leftAt)}, but it was never born: after its subscription it did not say who it is (sb/1 4.2).`
    case 'never_connected':
      return 'It has never connected, its key was never used: check its power, its network, the address of the hub and its key.'
    case 'never_subscribed':
      return `It logged in until ${at(found.leftAt)}, but subscribed to no topic: set the topic of its profile in the box.`
    case 'box_never_connected':
      return `It has never connected: is HUB_BOX_PORT set, does the box have the hub's address with that port, the name ${found.wireId} and its password? Check its power and its network, too.`
    case 'no_box_port':
      return 'The hub that runs has no port for boxes of other makers: set HUB_BOX_PORT, and start it again.'
    case 'no_hub':
      return `No hub is running: no speaker is connected. It was last seen at ${at(found.lastSeenAt)}.`
    case 'offline':
      return offline(found)
    case 'volume_zero':
      return 'Its volume is 0.'
    case 'failed':
      return `It failed to play ${count(found)}, the last one at ${at(found.at)}: ${reasonOf(found.reason)}.`
    case 'unanswered':
      return `It ${found.isConnected ? 'is connected, but ' : ''}did not answer ${count(found)}.`
    case 'unconfirmed':
      return `It did not confirm that it has ${count(found)}: nobody knows whether it sounded. Check the topic that it listens on, and its network.`
    case 'unplayed':
      return `It took ${count(found)}, but did not report that it played.`
    case 'untaken':
      return `${count(found)} expired unsent, because it was away.`
    case 'no_payment':
      return `Its shops have had no payment since ${at(found.since)} (no further back was looked).`
    case 'played_last':
      return `It played its last announcement at ${at(found.at)}: its shops have had no payment since.`
    case 'delivered_last':
      return `It got its last announcement at ${at(found.at)}, and nobody knows whether it has sounded: its shops have had no payment since. Ask the shop, and check its volume.`
    case 'suppressed_last':
      return `It was locked when the last payment came, at ${at(found.at)}: no payment since.`
    case 'under_way':
      return `An announcement has been on its way to it since ${at(found.since)}.`
  }
}

function offline({ leftAt, lastSeenAt, battery }: Extract<SilenceFinding, { cause: 'offline' }>): string {
  const why = battery ? ` (battery was ${battery.percent} % at ${at(battery.at)})` : ''
  return leftAt === undefined
    ? `It is offline; it was last seen at ${at(lastSeenAt)}${why}.`
    : `It has been offline since ${at(leftAt)}${why}.`
}

function reasonOf(reason: string | undefined): string {
  const sentence = Object.entries(REASONS).find(([code]) => code === reason)?.[1]
  return sentence === undefined ? (reason ?? 'it gave no reason') : `${sentence} (${reason})`
}

function count({ count, oldestAt, newestAt }: Announcements): string {
  return count === 1 ? `1 announcement of ${at(newestAt)}` : `${count} announcements since ${at(oldestAt)}`
}

function at(ms: number | undefined): string {
  return ms === undefined ? 'an unknown time' : when(ms)
}
