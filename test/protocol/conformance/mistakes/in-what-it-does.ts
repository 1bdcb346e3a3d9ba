import { hearsFrames, rewrites } from '../support/sealing.ts'
import { acks, hears } from '../support/steps.ts'
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
    name: 'acks a repeat without dup',
    mutation: () => ({ step: acks(({ dup: _, ...body }) => [body]) }),
    fails: 'order/screen-repeat',
    likely: /a repeat is acked without `dup`/,
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
    name: 'reports its settings before they are applied',
    mutation: () => ({ line: rewrites('settings', (body) => ({ ...body, ver: Number(body.ver) - 1 })) }),
    fails: 'settings/applied',
    likely: /older version: report after the document is applied/,
  },
]

export const IN_WHAT_IT_DOES: readonly Mistake[] = ROWS.map((row) => ({ only: [row.fails], ...row }))

function amountAsText(d: object | null): object {
  const { amount }: { amount?: unknown } = Object(d)
  return typeof amount === 'number' ? { amount: String(amount) } : {}
}
