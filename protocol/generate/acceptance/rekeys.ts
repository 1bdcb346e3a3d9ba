import { toBase64url } from '#platform'
import { maskKey, parseKey } from '../../keys.ts'
import {
  acked,
  announceBody,
  BORN,
  command,
  type Draft,
  IDLE,
  idOf,
  NOW,
  OTHER,
  refuses,
  soundingOf,
} from './draft.ts'
import { OFF, WELCOME } from './sessions.ts'

const CAPS = [...IDLE.caps, 'rekey']
const NEXT = OTHER.key
const LATER = 'A'.repeat(43)

/** A key, XORed with the pad of the command n. */
function masked(key: string, n = 42, session = IDLE.key): string {
  const [sessionKey, nextKey] = [parseKey(session), parseKey(key)]
  if (!sessionKey || !nextKey) throw new Error('not a device key')
  return toBase64url(maskKey(sessionKey, idOf(n), nextKey))
}

const rekey = (key: string, envelope: Parameters<typeof command>[2] = {}) =>
  command('rekey', { key }, envelope)
const kept = (nextKey: string | null, key = IDLE.key) => [{ do: 'write_keys' as const, key, nextKey }]
const WRONG = masked(masked(NEXT, 43))

/** Expectation: the device writes this next K beside the K of the session, then acks the command n. */
const takes = (nextKey: string, { n = 42, key = IDLE.key } = {}) => ({
  sends: [acked(n, 'received')],
  effects: kept(nextKey, key),
  after: { nextKey },
})

const given: Draft[] = [
  {
    name: 'rekey: the next K is written beside the one of the session, received',
    clauses: ['2.6', '2.7'],
    before: { caps: CAPS },
    event: rekey(masked(NEXT)),
    ...takes(NEXT),
  },
  {
    name: 'rekey with a field that it does not know: ignored',
    clauses: ['2.7', '5.4'],
    before: { caps: CAPS },
    event: command('rekey', { key: masked(NEXT), reason: 'yearly' }),
    ...takes(NEXT),
  },
  {
    name: 'rekey under another K: its pad is of the K of the session',
    clauses: ['2.6', '2.7'],
    before: { caps: CAPS, key: NEXT },
    event: rekey(masked(LATER, 42, NEXT)),
    ...takes(LATER, { key: NEXT }),
  },
  {
    name: 'repeat of a rekey: received without dup, and the keys stay as they are',
    clauses: ['2.7'],
    before: { caps: CAPS, nextKey: NEXT },
    event: rekey(masked(NEXT)),
    sends: [acked(42, 'received')],
  },
  {
    name: 'rekey with another key than before: it takes the place of the next K',
    clauses: ['2.7'],
    before: { caps: CAPS, nextKey: NEXT },
    event: rekey(masked(LATER, 43), { n: 43 }),
    ...takes(LATER, { n: 43 }),
  },
  {
    name: 'rekey while an announcement sounds: written and received at once, the sentence goes on',
    clauses: ['2.7'],
    before: { caps: CAPS, played: 42, sounding: soundingOf(42) },
    event: rekey(masked(NEXT, 43), { n: 43 }),
    ...takes(NEXT, { n: 43 }),
  },
  {
    name: 'rekey masked with the pad of another id: no device can notice, and its next K is a wrong one',
    clauses: ['2.6', '2.7'],
    before: { caps: CAPS },
    event: rekey(masked(NEXT, 43)),
    ...takes(WRONG),
  },
]

const unsupported = (name: string, d: object): Draft => ({
  name,
  clauses: ['7.8'],
  before: { caps: CAPS },
  event: command('rekey', d),
  ...refuses(42, 'unsupported'),
})

/** One of the two unused bits of the last character is 1. */
const otherSpelling = masked(NEXT).replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))

const refused: Draft[] = [
  {
    name: 'rekey to a device without the capability: unsupported',
    clauses: ['2.6', '7.17'],
    level: 'SHOULD',
    event: rekey(masked(NEXT)),
    ...refuses(42, 'unsupported'),
  },
  unsupported('rekey without a key: unsupported', {}),
  unsupported('rekey with 42 characters: unsupported', { key: masked(NEXT).slice(0, 42) }),
  unsupported('rekey with 44 characters: unsupported, also if the last one is padding', {
    key: `${masked(NEXT)}=`,
  }),
  unsupported('rekey with a bit after the 32 bytes: unsupported', { key: otherSpelling }),
  unsupported('rekey in the alphabet of base64: unsupported', { key: `+/${masked(NEXT).slice(2)}` }),
  {
    name: 'rekey past at + ttl: expired, and nothing is written',
    clauses: ['7.7'],
    before: { caps: CAPS },
    event: rekey(masked(NEXT), { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
  {
    name: 'rekey sealed with a K that has been replaced: dropped, no ack',
    clauses: ['2.8', '5.3'],
    before: { caps: CAPS, key: NEXT },
    event: { ...rekey(masked(LATER)), sealed: { key: IDLE.key } },
  },
  {
    name: 'rekey before the welcome: dropped, no ack',
    clauses: ['7.14'],
    before: { ...BORN, caps: CAPS },
    event: rekey(masked(NEXT)),
  },
]

const welcomed = { welcomed: true, welcomeN: 42, clock: NOW }

const confirmed: Draft[] = [
  {
    name: 'welcome under the next K: written as the only one, then received',
    clauses: ['2.8'],
    before: { ...BORN, caps: CAPS, key: NEXT, nextKey: NEXT },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received')],
    effects: kept(null, NEXT),
    after: { ...welcomed, nextKey: null },
  },
  {
    name: 'welcome under the old K: received, and the next K is kept',
    clauses: ['2.8'],
    before: { ...BORN, caps: CAPS, nextKey: NEXT },
    event: command('welcome', WELCOME),
    sends: [acked(42, 'received')],
    after: welcomed,
  },
  {
    name: 'announce under the old K after a rekey: obeyed, for the session has not ended',
    clauses: ['2.7'],
    before: { caps: CAPS, nextKey: NEXT, volume: 0 },
    event: command('announce', announceBody('50000')),
    ...refuses(42, 'muted'),
  },
  {
    name: 'power cut after a rekey: it has both keys',
    clauses: ['2.7', '12.1'],
    before: { caps: CAPS, nextKey: NEXT },
    event: { type: 'power_cut' },
    after: OFF,
  },
]

export const rekeyCases: Draft[] = [...given, ...refused, ...confirmed]
