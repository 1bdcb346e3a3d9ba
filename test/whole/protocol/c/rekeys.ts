import { toBase64url } from '#platform'
import { downPrefix, sealText } from '../../../../protocol/frame.ts'
import { deriveKeys, maskKey } from '../../../../protocol/keys.ts'
import { KEY, NOW, SERIAL, SID } from './fuzz.ts'

/** The rotation of K in lines for vectors.c, and what comes of them (sb/1 2.5 to 2.8). */

const NEXT = Buffer.alloc(32, 0xaa)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const idOf = (n: number) => n.toString().padStart(26, '0')

/** A command that the hub has sealed with the keys of this K. */
function from(key: Buffer, t: string, n: number, d: object, sid = SID): string {
  const text = JSON.stringify({ t, id: idOf(n), n, at: NOW, ttl: 120, d })
  return `frame ${hex(sealText(deriveKeys(key).down, downPrefix(SERIAL, sid), text.slice(0, -1)))}`
}

function rekey(n: number, next = NEXT): string {
  return from(KEY, 'rekey', n, { key: toBase64url(maskKey(KEY, idOf(n), next)) })
}

const announce = (n: number) =>
  from(KEY, 'announce', n, { amount: '5', currency: 'VND', lang: 'vi', clips: 'dong' })
/** The sid of `connect` in vectors.c. */
const ANEW = ['closed', 'connect', 'suback']
const welcome = (key: Buffer, n: number) =>
  from(key, 'welcome', n, { now: NOW, n, linked: true, settings: 3 }, '0'.repeat(16))

const TAKEN = ['keep AAEC qqqq', 'rekey stored', 'ack 50 received']
export const REKEYS = [
  {
    // 0x9f86 / 0x10000 of 10 s: its sid begins with 9f86.
    name: 'sb/1 2.7: stores the next key before the ack, and moves when the ack is stored, after a time that its sid chooses',
    lines: [rekey(50), 'clock 6231', 'puback-all', 'clock 6230', 'clock 6231', 'clock 6231'],
    does: [...TAKEN, 'rekey in use'],
  },
  {
    name: 'sb/1 2.7: acks a resend in the same way, and a later key replaces the next one',
    lines: [rekey(50), rekey(50), rekey(51, Buffer.alloc(32, 0x55))],
    does: [...TAKEN, ...TAKEN.slice(1), 'keep AAEC VVVV', 'rekey stored', 'ack 51 received'],
  },
  {
    name: 'sb/1 2.7: moves when the sentence has ended',
    lines: [announce(42), rekey(50), 'puback-all', 'clock 7000', 'sound-end', 'clock 7000'],
    does: [
      'ack 42 received',
      'keep 42',
      'announce 42',
      ...TAKEN,
      'played 42',
      'ack 42 played',
      'rekey in use',
    ],
  },
  {
    name: 'sb/1 2.8: a welcome under the next key makes it the only one',
    lines: [rekey(50), 'puback-all', ...ANEW, welcome(NEXT, 60), 'refused'],
    does: [...TAKEN, 'keep qqqq -', 'rekey confirmed', 'connected', 'ack 60 received', 'wait'],
  },
  {
    name: 'sb/1 2.8: a welcome under the old key changes nothing',
    lines: [
      rekey(50),
      'puback-all',
      'closed',
      'refused',
      ...ANEW,
      welcome(KEY, 60),
      'power-cut',
      ...ANEW,
      welcome(NEXT, 61),
    ],
    does: [
      ...[...TAKEN, 'connect at once', 'connected', 'ack 60 received'],
      ...['keep qqqq -', 'rekey confirmed', 'connected', 'ack 61 received'],
    ],
  },
  {
    name: 'sb/1 2.8: waits when both keys were refused since the last session',
    lines: [rekey(50), 'puback-all', 'closed', 'refused', 'refused', ...ANEW, 'closed', 'refused'],
    does: [...TAKEN, 'connect at once', 'wait', 'connect at once'],
  },
  {
    name: 'sb/1 2.7: no ack when the next key can not be stored',
    lines: ['worn-out', rekey(50)],
    does: ['broken'],
  },
  {
    name: 'sb/1 7.8: a key with another spelling is unsupported',
    lines: [
      from(KEY, 'rekey', 50, { key: `${'A'.repeat(42)}B` }),
      from(KEY, 'rekey', 51, { key: 'A'.repeat(44) }),
    ],
    does: [
      ...['failed 50 unsupported', 'ack 50 failed unsupported'],
      ...['failed 51 unsupported', 'ack 51 failed unsupported'],
    ],
  },
]
