import { step } from '../../../../simulator/speaker/device/device.ts'
import { keepsItsQueue } from '../mutants/in-its-births.ts'
import { givesUpItsKey } from '../mutants/in-its-keys.ts'
import { comparesWithPlayed } from '../mutants/in-its-numbers.ts'
import { always, publishes, trusting, withoutMac } from '../support/bends.ts'
import { SERIAL } from '../support/device-under-test.ts'
import { hearsFrames, rewrites } from '../support/sealing.ts'
import { acks, before, hears } from '../support/steps.ts'
import type { Mistake } from './mistake.ts'

/** Mistakes that show in one answer: only its case is run. */
const ROWS: readonly Mistake[] = [
  {
    name: 'acks played together with received',
    mutation: () => ({
      step: acks((body, _state, t) => {
        if (t !== 'announce' || body.dup || body.st === 'failed') return [body]
        return body.st === 'received' ? [body, { ...body, st: 'played' }] : []
      }),
    }),
    fails: 'dedupe/repeat-when-played',
    likely: /`played` is acked together with `received`/,
  },
  {
    name: 'acks played before received',
    mutation: () => ({
      step: acks((body, _state, t) => {
        if (t !== 'announce' || body.dup) return [body]
        return body.st === 'received' ? [{ ...body, st: 'played' }, body] : []
      }),
    }),
    fails: 'ack/announce',
    likely: /`played` is acked without `received`, or before it/,
  },
  {
    name: 'acks a repeat without dup',
    mutation: () => ({ step: acks(({ dup: _, ...body }) => [body]) }),
    fails: 'order/screen-repeat',
    likely: /a repeat is acked without `dup`/,
  },
  {
    name: 'acks no repeat',
    mutation: () => ({ step: acks((body) => (body.dup ? [] : [body])) }),
    fails: 'settings/older',
    likely: /a repeat is not acked/,
  },
  {
    name: 'speaks a repeat again',
    mutation: () => ({ step: before('announce', ({ memory }) => ({ memory: { ...memory, played: 0 } })) }),
    fails: 'dedupe/repeat-when-played',
    likely: /the repeat is carried out again: keep the n/,
  },
  {
    name: 'forgets what it has played when its power is cut',
    mutation: () => ({ afterPowerCut: (kept) => ({ ...kept, played: 0 }) }),
    fails: 'dedupe/played-over-power-cut',
    likely: /`played` was not stored when the audio started/,
  },
  {
    name: 'takes ttl for milliseconds',
    mutation: () => ({ step: hears('announce', ({ ttl }) => ({ ttl: ttl / 1_000 })) }),
    fails: 'order/in-turn',
    likely: /still valid is refused: is `ttl`.*taken for milliseconds/,
  },
  {
    name: 'refuses a command in its last second',
    mutation: () => ({ step: hears('announce', ({ ttl }) => ({ ttl: ttl - 1 })) }),
    fails: 'expiry/last-second',
    likely: /refused in its last second.*compare with > and not with >=/,
  },
  {
    name: 'adds at and ttl in 32 bits',
    mutation: () => ({
      step: hears('announce', ({ at, ttl }) => ({ at: 0, ttl: (at + ttl) % 2 ** 32 })),
    }),
    fails: 'expiry/beyond-32-bits',
    likely: /wraps around at 32 bits/,
  },
  {
    name: 'compares screen commands with the last announcement',
    mutation: () => ({ step: comparesWithPlayed }),
    fails: 'order/payment-overtakes',
    likely: /a new command is taken for a repeat: compare all 32 bits.*keep the numbers.*apart/,
  },
  {
    name: 'forgets the acks that were not stored',
    mutation: () => ({
      step: (state, event) => step(event.type === 'closed' ? { ...state, pendingAcks: [] } : state, event),
    }),
    fails: 'ack/resent-when-not-stored',
    likely: /had no PUBACK when the connection broke, and is not sent again/,
  },
  {
    name: 'keeps the version of its settings in a power cut, and not its volume',
    mutation: () => ({
      afterPowerCut: (kept) => ({ ...kept, settings: { ...kept.settings, volume: 50 } }),
    }),
    fails: 'settings/kept-over-power-cut',
    likely: /apply and store all its fields together/,
  },
  {
    name: 'speaks between birth and welcome what waits',
    mutation: () => ({ step: keepsItsQueue }),
    fails: 'power/before-welcome',
    likely: /an announcement was spoken that waited at the birth before/,
  },
  {
    name: 'has one sid for ever',
    mutation: () => ({ newSid: () => '9f86d081884c7d65' }),
    fails: 'mac/recording',
    likely: /sealed in an earlier session: make a new sid for each CONNECT/,
  },
  {
    name: 'does not come back when the next key is refused',
    mutation: () => ({ step: givesUpItsKey }),
    fails: 'rekey/refused-falls-back',
    likely: /next K was refused.*stores the next K beside the old one/,
  },
  {
    name: 'takes the time of the welcome for milliseconds',
    mutation: () => ({
      step: hears('welcome', ({ d }) => ({ d: { ...d, now: Math.floor(d.now / 1_000) } })),
    }),
    fails: 'expiry/announce-on-arrival',
    likely: /past `at` \+ `ttl` is obeyed: is the `now` of the welcome taken for milliseconds/,
  },
  {
    name: 'has local time, and trusts it',
    mutation: () => ({
      line: rewrites('birth', (body) => ({ ...body, at: Number(body.at) + 7 * 3_600 })),
      step: hears('welcome', ({ d }) => ({ d: { ...d, now: d.now + 7 * 3_600 } })),
    }),
    fails: 'ack/announce',
    likely: /the device's time, `at` of its birth: it is local time, 7 hours from UTC/,
  },
  {
    name: 'counts its time from power on',
    mutation: () => ({
      line: rewrites('birth', (body) => ({ ...body, at: 42 })),
      step: hears('welcome', ({ d }) => ({ d: { ...d, now: 42 } })),
    }),
    fails: 'expiry/announce-on-arrival',
    likely: /it counts from power on: leave `at` out/,
  },
  {
    name: 'does not decode escapes',
    mutation: () => ({
      line: hearsFrames((body) => (body.t === 'announce' ? { ...body, t: '\\u0061nnounce' } : undefined)),
    }),
    fails: 'envelope/spelled-otherwise',
    likely: /an escape is not decoded, or the JSON is searched/,
  },
  {
    name: 'takes numbers for amounts',
    mutation: () => ({
      line: hearsFrames(({ d, ...body }) => ({
        ...body,
        d: typeof d === 'object' ? { ...d, ...amountAsText(d) } : d,
      })),
    }),
    fails: 'envelope/body-wrong-type',
    likely: /violates its schema is obeyed.*an amount is a text of digits/,
  },
  {
    name: 'refuses what has fields that it does not know',
    mutation: () => ({
      line: hearsFrames((body) => ('trace' in body ? { ...body, t: 'unknown' } : undefined)),
    }),
    fails: 'envelope/unknown-fields',
    likely: /ignore unknown fields \(5\.4\)/,
  },
  {
    name: 'gives no reason',
    mutation: () => ({ step: acks(({ rc: _, ...body }) => [body]) }),
    fails: 'expiry/code-on-arrival',
    likely: /`rc` is left out/,
  },
  {
    name: 'acks no screen command',
    mutation: () => ({ step: acks((body, _state, t) => (t === 'code' ? [] : [body])) }),
    fails: 'ack/code',
    likely: /the command came \(PUBACK\) and has no ack/,
  },
  {
    name: 'writes stages in capitals',
    mutation: () => ({
      line: rewrites('ack', (body) => ({ ...body, st: body.st === 'shown' ? 'SHOWN' : body.st })),
    }),
    fails: 'ack/code',
    likely: /`st`: "SHOWN" has capitals: write "shown"/,
  },
  {
    name: 'acks before its birth',
    mutation: () => ({
      line: publishes('birth', (birth) => [
        { ...birth, topic: `sb/1/${SERIAL}/up/ack`, messageId: 60_001, payload: withoutMac(birth.payload) },
        birth,
      ]),
    }),
    fails: 'session/birth-first',
    likely: /ack comes before the birth: send it after the next welcome/,
  },
  {
    name: 'comes back at once',
    mutation: () => ({ random: () => 0 }),
    fails: 'reconnection/no-storm',
    likely: /comes back too often: double the wait/,
  },
  {
    name: 'takes a refused login for a busy hub',
    mutation: () => ({
      line: always({
        down: (packet) => [
          packet.cmd === 'connack' && packet.returnCode ? { ...packet, returnCode: 3 } : packet,
        ],
      }),
    }),
    fails: 'reconnection/refused-credentials',
    likely: /read the code of the CONNACK, and wait 15 minutes/,
  },
  {
    name: 'stays away for a quarter of an hour',
    mutation: () => ({ random: () => 900 }),
    fails: 'reconnection/after-cut',
    likely: /no connection came: a device comes back/,
  },
  {
    name: 'reports its settings before they are applied',
    mutation: () => ({ line: rewrites('settings', (body) => ({ ...body, ver: Number(body.ver) - 1 })) }),
    fails: 'settings/applied',
    likely: /older version: report after the document is applied/,
  },
  ...(
    [
      ['mac/no-mac', /obeys a frame without a MAC/],
      ['mac/altered', /obeys a frame whose bytes were changed/],
      ['mac/wrong-key', /does it compare the MAC at all/],
      ['mac/reflected', /verifies with sb1\/up/],
      ['mac/other-sid', /verifies without the sid/],
      ['mac/earlier-sid', /accepts the sid of an earlier session/],
      ['mac/other-serial', /verifies without the serial/],
      ['mac/mac-first', /look at the last 32 bytes/],
      ['mac/mac-flipped', /compares a part of the MAC/],
      ['mac/mac-short', /as many characters as came/],
      ['mac/mac-padded', /decodes the MAC and drops what is behind/],
      ['mac/mac-respelled', /decodes the MAC, which loses four bits/],
      ['mac/byte-more', /skips bytes behind the frame/],
    ] as const
  ).map(
    ([fails, likely]): Mistake => ({
      name: `obeys ${fails}`,
      mutation: () => ({ line: trusting(() => true) }),
      fails,
      likely,
    }),
  ),
]

export const IN_WHAT_IT_DOES: readonly Mistake[] = ROWS.map((row) => ({ only: [row.fails], ...row }))

function amountAsText(d: object | null): object {
  const { amount }: { amount?: unknown } = Object(d)
  return typeof amount === 'number' ? { amount: String(amount) } : {}
}
