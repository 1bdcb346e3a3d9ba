import type { IConnectPacket } from 'mqtt-packet'
import { upPrefix } from '../../../../protocol/frame.ts'
import { connects } from '../support/bends.ts'
import { KEY, KEYS, SERIAL } from '../support/device-under-test.ts'
import {
  digestOf,
  inSession,
  macOf,
  rewrites,
  seals,
  sealsAndVerifies,
  type Unsealed,
  UP,
  withMac,
} from '../support/sealing.ts'
import type { Mistake } from './mistake.ts'

const ZEROS = '0000000000000000'

/** Seals with the right key and prefix, in another form. */
const inForm = (write: (digest: Buffer) => string) => (frame: Unsealed) =>
  withMac(frame.signed, write(digestOf(KEYS.up, UP(frame), frame.signed)))
/** Seals over other bytes. */
const over = (bytes: (signed: string) => string) => (frame: Unsealed) =>
  withMac(frame.signed, macOf(KEYS.up, UP(frame), bytes(frame.signed)))
const withPrefix = (prefix: (frame: Unsealed) => string) => (frame: Unsealed) =>
  withMac(frame.signed, macOf(KEYS.up, prefix(frame), frame.signed))
const withKey = (key: Uint8Array) => (frame: Unsealed) =>
  withMac(frame.signed, macOf(key, UP(frame), frame.signed))
const first = (digest: Buffer) => digest.subarray(0, 16)

const ROWS: readonly (readonly [string, (frame: Unsealed) => string, RegExp])[] = [
  ['seals with the key for down', withKey(KEYS.down), /made with the key sb1\/down/],
  ['seals with the key for the login', withKey(KEYS.login), /made with the key sb1\/login/],
  ['seals with K', withKey(KEY), /made with the key K itself/],

  ['seals without a prefix', withPrefix(() => ''), /there is no prefix/],
  [
    'leaves the sid out of the prefix',
    withPrefix(({ kind }) => `sb1|up|${SERIAL}|${kind}|`),
    /lacks the sid/,
  ],
  [
    'leaves the kind out of the prefix',
    withPrefix(({ sid }) => `sb1|up|${SERIAL}|${sid}|`),
    /lacks the kind/,
  ],
  ['leaves out the last | of the prefix', withPrefix((frame) => UP(frame).slice(0, -1)), /lacks its last \|/],
  [
    'writes its serial in lower case',
    withPrefix((frame) => UP(frame).replace(SERIAL, SERIAL.toLowerCase())),
    /serial in the prefix is in lower case/,
  ],
  [
    'has the topic for a prefix',
    withPrefix(({ kind }) => `sb/1/${SERIAL}/up/${kind}`),
    /the topic is used as the prefix/,
  ],
  [
    'has the prefix of the other direction',
    withPrefix(({ sid }) => `sb1|down|${SERIAL}|${sid}|`),
    /of the other direction/,
  ],
  ['has the NUL of its prefix in the MAC', withPrefix((frame) => `${UP(frame)}\0`), /prefix has a NUL/],

  ['signs the closing brace too', over((signed) => `${signed}}`), /covers a closing brace/],
  ['signs the start of the MAC field too', over((signed) => `${signed},"mac":"`), /covers `,"mac":"` too/],
  ['signs the frame with an empty MAC', over((signed) => `${signed},"mac":""}`), /covers an empty `mac`/],
  [
    'signs what another serializer writes, with spaces',
    over((signed) => `${signed.replace(/":/g, '": ').replace(/,"/g, ', "')}}`),
    /written with spaces, which is not what is sent/,
  ],
  ['signs its fields sorted', over(sorted), /its fields sorted/],

  [
    'sends the last 16 bytes of the digest',
    inForm((digest) => digest.subarray(-16).toString('base64url')),
    /last 16 bytes of the digest/,
  ],
  [
    'sends the first 16 characters',
    inForm((digest) => digest.toString('base64url').slice(0, 16)),
    /cut to 16 characters/,
  ],
  [
    'cuts the text of the whole digest',
    inForm((digest) => digest.toString('base64url').slice(0, 22)),
    /cut from the base64url of the whole digest/,
  ],
  ['sends hex', inForm((digest) => first(digest).toString('hex')), /the MAC is in hex/],
  ['sends a padded MAC', inForm((digest) => `${first(digest).toString('base64url')}==`), /the MAC is padded/],
  [
    'swaps the bytes of 32-bit words',
    inForm((digest) => first(Buffer.from(digest).swap32()).toString('base64url')),
    /each 32-bit word swapped/,
  ],
  [
    'swaps the bytes of 16-bit words',
    inForm((digest) => first(Buffer.from(digest).swap16()).toString('base64url')),
    /each 16-bit word swapped/,
  ],

  ['sends no MAC', ({ signed }) => `${signed}}`, /the frame has no `mac`/],
  ['writes the MAC in the middle', inTheMiddle, /the MAC is not the last field/],
  [
    'writes a line end behind the frame',
    (frame) => `${over((signed) => signed)(frame)}\n`,
    /goes on after its last brace \("\\n"\)/,
  ],
  [
    'writes a space before the MAC',
    (frame) => over((signed) => signed)(frame).replace('"mac":', '"mac": '),
    /the tail has spaces/,
  ],
  [
    'makes two mistakes at once',
    (frame) =>
      withMac(
        frame.signed,
        digestOf(KEYS.down, UP(frame), `${frame.signed}}`).subarray(-16).toString('base64url'),
      ),
    /sb1\/down.*And the MAC covers a closing brace.*And the MAC is the last 16 bytes/,
  ],
  [
    'signs what nobody knows',
    ({ signed }) => withMac(signed, 'AAAAAAAAAAAAAAAAAAAAAA'),
    /no mistake that the kit knows.*vectors\/frame\.json/,
  ],
]

export const IN_ITS_MACS: readonly Mistake[] = [
  ...ROWS.map(
    ([name, write, likely]): Mistake => ({
      name,
      mutation: () => ({ line: seals(write) }),
      fails: 'mac/birth',
      likely,
    }),
  ),
  {
    name: 'sends standard base64',
    mutation: () => ({ line: seals(inForm((digest) => first(digest).toString('base64').slice(0, 22))) }),
    // The MAC of the first birth has a character that differs.
    fails: 'mac/birth',
    likely: /standard base64, with \+ and \//,
  },
  {
    name: 'swaps words when it signs and when it verifies',
    mutation: () => ({
      line: sealsAndVerifies(inForm((digest) => first(Buffer.from(digest).swap32()).toString('base64url'))),
    }),
    fails: 'session/opens',
    likely: /each 32-bit word swapped/,
    isFatal: true,
  },
  {
    name: 'seals with the sid of the session before',
    mutation: () => ({ line: inSession((sids) => sids.at(-2) ?? sids.at(-1) ?? '') }),
    fails: 'mac/birth',
    likely: /the sid of an earlier session/,
  },
  {
    name: 'keeps the sid of its first session for MACs',
    mutation: () => ({ line: inSession((sids) => sids[0] ?? '') }),
    fails: 'mac/birth',
    likely: /the sid of an earlier session/,
  },
  {
    name: 'has no sid yet when it makes its prefix',
    mutation: () => ({ line: inSession(() => ZEROS) }),
    fails: 'mac/birth',
    likely: /the sid in the prefix is all zeros/,
  },
  {
    name: 'has one sid in its will and another in its birth',
    mutation: () => ({
      line: connects(({ will }) =>
        will ? { will: { ...will, payload: reversedSid(String(will.payload)) } } : {},
      ),
    }),
    fails: 'session/birth-sid',
    likely: /the will and the birth have different sids/,
    only: ['mac', 'session', 'connection', 'ack/announce'],
  },
  {
    name: 'makes its will once',
    mutation: () => {
      const wills: IConnectPacket['will'][] = []
      return {
        line: connects(({ will }) => {
          wills.push(will)
          return wills[0] ? { will: wills[0] } : {}
        }),
      }
    },
    fails: 'session/sid-new',
    likely: /of an earlier CONNECT: make a sid and a will for each CONNECT/,
    only: ['mac', 'session', 'connection', 'ack/announce'],
  },
  {
    name: 'sends an ack again with its old MAC',
    mutation: () => ({
      line: seals(
        ({ signed, sids }) => withMac(signed, macOf(KEYS.up, upPrefix(SERIAL, sids[0] ?? '', 'ack'), signed)),
        ['ack'],
      ),
    }),
    fails: 'mac/ack',
    likely: /the sid of an earlier session.*seal anew what is sent again/,
  },
  {
    name: 'names the session of before in its birth',
    mutation: () => {
      const seen: unknown[] = []
      return {
        line: rewrites('birth', ({ sid, ...body }) => ({ ...body, sid: seen[seen.push(sid) - 2] ?? sid })),
      }
    },
    fails: 'session/birth-sid',
    likely: /the birth has the sid of an earlier session/,
  },
]

/** Another sid, new for each CONNECT too. */
function reversedSid(will: string): string {
  return will.replace(/[0-9a-f]{16}/, (sid) => [...sid].reverse().join(''))
}

function sorted(signed: string): string {
  const fields = Object.entries(Object(JSON.parse(`${signed}}`))).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(fields)).slice(0, -1)
}

function inTheMiddle(frame: Unsealed): string {
  const { t, ...rest } = Object(JSON.parse(`${frame.signed}}`))
  const mac = macOf(KEYS.up, UP(frame), frame.signed)
  return JSON.stringify({ t, mac, ...rest })
}
