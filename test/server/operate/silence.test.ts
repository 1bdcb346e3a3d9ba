import { expect, it } from 'vitest'
import type { AnnouncementTrail, Stage } from '../../../server/announcements/announcement.ts'
import type { SilenceFacts } from '../../../server/operate/silence.ts'
import { whySilent } from '../../../server/operate/silence-english.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
const MINUTE_MS = 60_000
const clock = (minutesAgo: number) => NOW - minutesAgo * MINUTE_MS

function trail(stage: Stage, times: AnnouncementTrail['times'], reason?: string): AnnouncementTrail {
  return { serial: 'SB-1', n: 1, stage, times, reason }
}

const played = trail('played', { queued: clock(60), sent: clock(60), received: clock(60), played: clock(59) })
/** Its queue, its sending and its receipt, minutes ago. */
const expired = (queued: number, sent?: number, received?: number) =>
  trail('expired', {
    queued: clock(queued),
    ...(sent !== undefined && { sent: clock(sent) }),
    ...(received !== undefined && { received: clock(received) }),
    expired: clock(queued - 3),
  })

const DEVICE: SilenceFacts['device'] = {
  ...{ deviceId: 'id', serial: 'SB-1', clientId: 'sbc_1', active: true, revokedAt: undefined, lang: 'vi' },
  ...{
    deviceName: 'SB-1',
    rmCode: '',
    firmware: '1.0',
    model: 'M',
    createdAt: clock(9_000),
    lastBirthAt: clock(100),
    connected: true,
  },
  ...{
    leftAt: undefined,
    lastSeenAt: clock(1),
    stores: [],
    dialect: 'sb/1',
    profile: undefined,
    languages: [],
    wireId: undefined,
  },
  ...{ caps: [], nextKeySince: undefined, offer: undefined, updateProgress: undefined, runtime: undefined },
  health: { battery: 80, signal: -60, volume: 70, queue: 0, reportedAt: clock(1) },
}

function why(device: Partial<typeof DEVICE>, facts: Partial<SilenceFacts> = {}): string[] {
  const all = { isPartnerDisabled: false, isHubRunning: true, settings: undefined, recent: [played] }
  return whySilent({
    ...all,
    recentFrom: clock(10_080),
    now: NOW,
    ...facts,
    device: { ...DEVICE, ...device },
  })
}

const away = { connected: false, leftAt: clock(30), lastSeenAt: clock(30) }
const never = { ...away, leftAt: undefined, lastBirthAt: undefined, lastSeenAt: undefined, health: undefined }
const quiet = { ...DEVICE.health, volume: 0, reportedAt: clock(1) }
const low = { ...quiet, battery: 3, volume: 70 }
const settings = { reported: { ver: 1, volume: 0, lang: 'vi' as const } }
const received = trail('received', { queued: clock(1), sent: clock(1), received: clock(1) })
const box = { dialect: 'hemipay', profile: 'hemipay', wireId: 'W-1' }
const delivered = trail('delivered', { queued: clock(8), sent: clock(8), delivered: clock(8) })
const sentNow = trail('sent', { queued: NOW - 2_000, sent: NOW - 2_000 })

it.each<[cause: string, found: string[], sentence: string | RegExp]>([
  ['revoked', why({ ...away, revokedAt: clock(5) }), /^It was revoked at 2026-11-22 11:55:00\+00:00/],
  ['not registered', why({ clientId: undefined }), /^No partner has registered it/],
  ["another partner's", why({}, { askedFor: 'sbc_2' }), /^It belongs to another partner, sbc_1:/],
  ['its partner is disabled', why({}, { isPartnerDisabled: true }), /^Its partner sbc_1 is disabled/],
  ['locked', why({ active: false }), /^Its partner has locked it/],
  ['key never used', why(never), /^It has never connected, its key was never used/],
  ['connected but never born', why({ ...never, leftAt: clock(30) }), /^Its key was used until .* never born/],
  [
    'no hub',
    why(away, { isHubRunning: false }),
    /^No hub is running.*last seen at 2026-11-22 11:30:00\+00:00\.$/,
  ],
  ['offline', why(away), 'It has been offline since 2026-11-22 11:30:00+00:00.'],
  [
    'offline with an empty battery',
    why({ ...away, health: low }),
    'It has been offline since 2026-11-22 11:30:00+00:00 (battery was 3 % at 2026-11-22 11:59:00+00:00).',
  ],
  ['offline after a killed hub', why({ ...away, leftAt: clock(200) }), /^It is offline; it was last seen at/],
  ['volume 0 by telemetry', why({ health: quiet }), 'Its volume is 0.'],
  ['volume 0 by its settings', why({ health: undefined }, { settings }), 'Its volume is 0.'],
  [
    'expired before it was sent',
    why({}, { recent: [expired(5), expired(9), played] }),
    '2 announcements since 2026-11-22 11:51:00+00:00 expired unsent, because it was away.',
  ],
  [
    'no answer',
    why({}, { recent: [expired(5, 5), expired(9, 9), played] }),
    'It is connected, but did not answer 2 announcements since 2026-11-22 11:51:00+00:00.',
  ],
  ['received, never played', why({}, { recent: [received] }), /^It took 1 announcement of .* did not report/],
  ['no payment at all', why({}, { recent: [] }), /^Its shops have had no payment since 2026-11-15 12:00:00/],
  [
    'no payment lately',
    why({}),
    /^It played its last announcement at 2026-11-22 11:01:00\+00:00: .* no payment since/,
  ],
  [
    'a box that was never pointed at the hub',
    why({ ...never, ...box }, { hasBoxPort: true }),
    /^It has never connected: is HUB_BOX_PORT set, .* the name W-1 and its password\?/,
  ],
  [
    'a box, and the hub has no port',
    why({ ...away, ...box }, { hasBoxPort: false }),
    /^The hub that runs has no port/,
  ],
  [
    'a box, and no hub runs',
    why({ ...away, ...box }, { hasBoxPort: false, isHubRunning: false }),
    /^No hub is running/,
  ],
  [
    'a box without a topic',
    why({ ...never, ...box, leftAt: clock(30) }),
    'It logged in until 2026-11-22 11:30:00+00:00, but subscribed to no topic: set the topic of its profile in the box.',
  ],
  [
    'a box that did not confirm',
    why(box, { recent: [{ ...expired(5, 5), reason: 'unconfirmed' }, delivered] }),
    /^It did not confirm that it has 1 announcement of .* nobody knows whether it sounded/,
  ],
  [
    'a box that has it, and nobody knows more',
    why(box, { recent: [delivered, expired(9, 9)] }),
    /^It got its last announcement at 2026-11-22 11:52:00\+00:00, and nobody knows/,
  ],
  ['on its way', why({}, { recent: [sentNow] }), /^An announcement has been on its way to it since/],
  [
    'locked at the last payment',
    why({}, { recent: [trail('suppressed', { queued: clock(8), suppressed: clock(8) })] }),
    /^It was locked when the last payment came, at 2026-11-22 11:52:00\+00:00/,
  ],
])('says why a speaker is silent: %s', (_, found, sentence) => {
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(sentence)
})

it.each([
  ['audio_failed', 'its loudspeaker or amplifier failed (audio_failed)'],
  ['display_failed', 'its screen failed (display_failed)'],
  ['muted', 'it is muted (muted)'],
  ['no_clip', 'it has no sound for a word of the sentence (no_clip)'],
  ['of_a_later_version', 'of_a_later_version'],
  [undefined, 'it gave no reason'],
])('says the reason of the last failure: %s', (reason, sentence) => {
  const failed = trail('failed', { queued: clock(5), sent: clock(5), failed: clock(4) }, reason)
  expect(why({}, { recent: [failed, played] })).toEqual([
    `It failed to play 1 announcement of 2026-11-22 11:55:00+00:00, the last one at 2026-11-22 11:56:00+00:00: ${sentence}.`,
  ])
})

it('names several causes, and nothing from before the last announcement that it played', () => {
  expect(why({ ...away, active: false }, { recent: [expired(5), played, expired(90, 90)] })).toEqual([
    expect.stringMatching(/locked/),
    expect.stringMatching(/offline/),
    expect.stringMatching(/^1 announcement of 2026-11-22 11:55:00\+00:00 expired/),
  ])
})
