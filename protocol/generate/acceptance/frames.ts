import {
  acked,
  announceBody,
  command,
  type Draft,
  IDLE,
  idOf,
  NOW,
  OTHER,
  publishBytesOf,
  raw,
  refuses,
  soundingOf,
  spoken,
} from './draft.ts'

const FIFTY = announceBody('50000')
const ENVELOPE = { t: 'announce', id: idOf(42), n: 42, at: NOW, ttl: 120 }
const good = command('announce', FIFTY)
type Frame = typeof good

/** Unusual frames that are valid announcements. */
function accepted(name: string, clauses: string[], event: Frame, before: Draft['before'] = {}): Draft {
  return {
    name,
    clauses,
    before,
    event,
    sends: [acked(42, 'received')],
    effects: spoken(42, '50000'),
    after: { played: 42, sounding: soundingOf(42) },
  }
}

/** Expectation: the device drops the frame, with no ack, no effect and no change. */
function dropped(name: string, clauses: string[], event: Frame): Draft {
  return { name, clauses, event }
}

/** Expectation: the device acks `unsupported`. */
function unsupported(name: string, clauses: string[], event: Frame): Draft {
  return { name, clauses, event, ...refuses(42, 'unsupported') }
}

const sealedAs = (sealed: Frame['sealed']): Frame => ({ ...good, sealed })
const tampered = (tamper: Frame['tamper']): Frame => ({ ...good, tamper })
const edited = (edit: (text: string) => string) => tampered((frame) => Buffer.from(edit(frame.toString())))

/** Another spelling of the same MAC: 22 characters have four unused bits. */
function otherSpelling(text: string): string {
  const at = text.length - 3
  const next = { A: 'B', Q: 'R', g: 'h', w: 'x' }[text.charAt(at)]
  if (next === undefined) throw new Error('the last character of a MAC is one of A Q g w')
  return `${text.slice(0, at)}${next}${text.slice(at + 1)}`
}

function flipped(frame: Buffer): Buffer {
  const at = frame.indexOf('"50000"') + 1
  const copy = Buffer.from(frame)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

const forged: Draft[] = [
  dropped('one bit of the body flipped: dropped', ['5.3'], tampered(flipped)),
  dropped(
    'recorded in another session: dropped',
    ['3.1', '5.2', '5.3'],
    sealedAs({ sid: '9f86d081884c7d66' }),
  ),
  dropped('made for another device: dropped', ['5.2', '5.3'], sealedAs(OTHER)),
  dropped('sealed with the up key: dropped', ['2.2', '5.2', '5.3'], sealedAs({ keyOf: 'up' })),
  dropped(
    'with the prefix of an ack: dropped',
    ['5.2', '5.3'],
    sealedAs({ prefix: `sb1|up|${IDLE.serial}|${IDLE.sid}|ack|` }),
  ),
  dropped('without any prefix: dropped', ['5.2', '5.3'], sealedAs({ prefix: '' })),
  dropped('the MAC written with other unused bits: dropped', ['5.2', '5.3'], edited(otherSpelling)),
  dropped(
    'the MAC of 22 zero characters: dropped',
    ['5.3'],
    edited((text) => text.replace(/.{22}"\}$/, `${'A'.repeat(22)}"}`)),
  ),
]

const misshapen: Draft[] = [
  dropped(
    'the last byte is missing: dropped',
    ['5.1', '5.3'],
    edited((text) => text.slice(0, -1)),
  ),
  dropped(
    'cut in the middle: dropped',
    ['5.1', '5.3'],
    edited((text) => text.slice(0, 100)),
  ),
  dropped(
    'only its last 32 bytes: dropped',
    ['5.1', '5.3'],
    edited((text) => text.slice(-32)),
  ),
  dropped(
    'an empty payload: dropped',
    ['5.1', '5.3'],
    edited(() => ''),
  ),
  dropped(
    'a line feed after the MAC: dropped',
    ['5.1', '5.3'],
    edited((text) => `${text}\n`),
  ),
  dropped(
    'a zero byte after the MAC: dropped',
    ['5.1', '5.3'],
    edited((text) => `${text}\0`),
  ),
  dropped(
    'a second object after the MAC: dropped',
    ['5.1', '5.3'],
    edited((text) => `${text}{}`),
  ),
  dropped(
    'a space before the object: dropped',
    ['5.1', '5.3'],
    edited((text) => ` ${text}`),
  ),
  dropped(
    'the MAC is not the last field: dropped',
    ['5.1', '5.3'],
    edited((text) => text.replace(/\}$/, ',"x":1}')),
  ),
  dropped(
    'no MAC: dropped',
    ['5.1', '5.3'],
    edited((text) => text.replace(/,"mac":"[^"]*"/, '')),
  ),
  dropped(
    'the MAC in 24 characters with padding: dropped',
    ['5.1', '5.2', '5.3'],
    edited((text) => text.replace(/"\}$/, '=="}')),
  ),
  dropped(
    'bytes that are no text: dropped',
    ['5.3'],
    tampered(() => Buffer.alloc(64, 0xff)),
  ),
]

const envelope: Draft[] = [
  dropped(
    'a right MAC, an id that is no ULID: dropped, there is nobody to answer',
    ['5.5'],
    command('announce', FIFTY, { id: 'x' }),
  ),
  dropped('a right MAC, n below 0: dropped', ['5.5'], command('announce', FIFTY, { n: -1, id: idOf(42) })),
  dropped(
    'a right MAC, n above 32 bits: dropped',
    ['5.5'],
    command('announce', FIFTY, { n: 4_294_967_296, id: idOf(42) }),
  ),
  dropped('a right MAC, no n: dropped', ['5.5'], raw({ ...ENVELOPE, n: undefined, d: FIFTY })),
  dropped('a right MAC, ttl as text: dropped', ['5.5'], raw({ ...ENVELOPE, ttl: '120', d: FIFTY })),
  dropped('a right MAC, no t: dropped', ['5.5'], raw({ ...ENVELOPE, t: undefined, d: FIFTY })),
]

/** Writes integers as `raw` says; the rest as the hub does. */
const spelled = (edit: (json: string) => string) => {
  const code = { t: 'code', id: idOf(42), n: 42, at: NOW, ttl: 120, d: { code: '048213', exp: NOW + 300 } }
  return raw(edit(JSON.stringify(code).slice(0, -1)))
}

const integers: Draft[] = [
  dropped(
    'a right MAC, n written as 42.0: dropped',
    ['5.5', '9.4'],
    spelled((json) => json.replace('"n":42', '"n":42.0')),
  ),
  dropped(
    'a right MAC, n written as 4.2e1: dropped',
    ['5.5', '9.4'],
    spelled((json) => json.replace('"n":42', '"n":4.2e1')),
  ),
  unsupported(
    'code whose exp has a fraction of zero: unsupported',
    ['7.8', '9.4'],
    spelled((json) => json.replace(/("exp":[0-9]+)/, '$1.0')),
  ),
  accepted(
    'an unknown field with a fraction and an exponent: ignored',
    ['5.4', '9.4'],
    raw({ ...ENVELOPE, tip: 0.5, d: { ...FIFTY, share: 1e-7 } }),
  ),
]

const unknown: Draft[] = [
  unsupported('a type that it does not know: unsupported', ['7.8'], command('dance', {})),
  unsupported('the type in capitals is another type: unsupported', ['7.8'], command('ANNOUNCE', FIFTY)),
  unsupported(
    'announce whose amount is a number: unsupported',
    ['7.8'],
    command('announce', { ...FIFTY, amount: 50_000 }),
  ),
  unsupported(
    'announce without clips: unsupported',
    ['7.8'],
    command('announce', { ...FIFTY, clips: undefined }),
  ),
  unsupported(
    'announce with two spaces between clips: unsupported',
    ['6.2', '7.8'],
    command('announce', { ...FIFTY, clips: 'da-nhan  5' }),
  ),
  unsupported(
    'announce in a language that no clips exist for: unsupported',
    ['7.8'],
    command('announce', { ...FIFTY, lang: 'fr' }),
  ),
  unsupported(
    'announce of an amount led by 0: unsupported',
    ['7.8'],
    command('announce', { ...FIFTY, amount: '050000' }),
  ),
  unsupported('announce whose body is a list: unsupported', ['7.8'], command('announce', [])),
  unsupported('announce without a body: unsupported', ['7.8'], command('announce', undefined)),
]

const tolerated: Draft[] = [
  accepted(
    'unknown fields around the body and in it: ignored',
    ['5.4'],
    raw({
      ...ENVELOPE,
      later: { list: [1, [2, { deep: null }]], text: '}{"],' },
      d: { ...FIFTY, tip: '5' },
    }),
  ),
  accepted(
    'fields in another order, and spaces between them: the same command',
    ['5.1'],
    raw(
      `{ "d": { "clips": "${FIFTY.clips}", "lang": "vi", "currency": "VND", "amount": "50000" },\n "ttl": 120, "at": ${NOW}, "n": 42, "id": "${idOf(42)}", "t": "announce"`,
    ),
  ),
  accepted(
    'escapes in texts: the same command',
    ['5.1'],
    raw(
      `{"t":"\\u0061nnounce","id":"${idOf(42)}","n":42,"at":${NOW},"ttl":120,"d":{"amount":"50000","currency":"VND","lang":"vi","clips":"${FIFTY.clips}","bill":"\\"\\\\\\/\\u00e9\\ud83e\\uddcb"}`,
    ),
  ),
]

/**
 * A device that verifies while it receives acks `too_large`. Any other device sends no ack, and the command expires.
 */
function tooLarge(name: string, event: Frame): Draft {
  return { name, clauses: ['6.3'], level: 'SHOULD', event, ...refuses(42, 'too_large') }
}

const GOOD_BYTES = publishBytesOf(good)
const WIDE = { name: 'T'.repeat(128), qr: '0'.repeat(1_024) }

const sizes: Draft[] = [
  accepted('a PUBLISH of just the size of the buffer: taken', ['6.3'], good, { rx: GOOD_BYTES }),
  {
    ...tooLarge('a PUBLISH one byte larger than the buffer, its MAC right: too_large', good),
    before: { rx: GOOD_BYTES - 1 },
  },
  tooLarge('a PUBLISH much larger than the buffer, its MAC right: too_large', command('profile', WIDE)),
]

export const frameCases: Draft[] = [
  ...forged,
  ...misshapen,
  ...envelope,
  ...integers,
  ...unknown,
  ...tolerated,
  ...sizes,
]
