import { createHmac, hkdfSync } from 'node:crypto'
import { toBase64url } from '#platform'
import { deriveKeys, passwordOf } from '../../../../protocol/keys.ts'
import { connects } from '../support/bends.ts'
import { KEY, KEYS, SERIAL } from '../support/device-under-test.ts'
import { withKeys } from '../support/sealing.ts'
import type { Mistake } from './mistake.ts'

const TEXT = KEY.toString('base64url')

/** Passwords that are wrong alone: the other keys are right. */
const PASSWORDS: readonly (readonly [string, string, RegExp])[] = [
  ['logs in with K', TEXT, /the key K itself: derive the login key/],
  ['logs in with the key for down', toBase64url(KEYS.down), /it is the key sb1\/down/],
  ['logs in with the key for up', toBase64url(KEYS.up), /it is the key sb1\/up/],
  ['logs in with its serial', SERIAL, /it is the serial/],
  ['logs in with an empty password', '', /no password is sent/],
  ['logs in in hex', Buffer.from(KEYS.login).toString('hex'), /in hex/],
  ['logs in with padding', `${passwordOf(KEYS)}=`, /it is padded/],
  [
    'logs in with standard base64',
    Buffer.from(KEYS.login).toString('base64').replace('=', ''),
    /standard base64/,
  ],
  ['cuts its password', passwordOf(KEYS).slice(0, -1), /last character is lost.*44 bytes/],
  ['has the password of another device', passwordOf(deriveKeys(Buffer.alloc(32, 9))), /the K of this serial/],
]

/** Mistakes in all three keys. */
const ALL_KEYS: readonly (readonly [string, (info: string) => Buffer, RegExp])[] = [
  [
    'takes the text of K for K',
    (info) => hkdf(Buffer.from(TEXT), '', info),
    /the text of K is used.*decode the 43 characters/,
  ],
  [
    'keeps 16 bytes of K',
    (info) => hkdf(Buffer.from(TEXT.slice(0, 22), 'base64url'), '', info),
    /first 16 bytes of K/,
  ],
  [
    'writes the info with a capital',
    (info) =>
      hkdf(
        KEY,
        '',
        info.replace(/\/./, (two) => two.toUpperCase()),
      ),
    /"sb1\/Login"/,
  ],
  ['writes the info with a -', (info) => hkdf(KEY, '', info.replace('/', '-')), /"sb1-login"/],
  [
    'writes the info with its NUL',
    (info) => hkdf(KEY, '', `${info}\0`),
    /"sb1\/login\\u0000".*without a NUL/,
  ],
  ['has no info', () => hkdf(KEY, '', ''), /the info is ""/],
  ['expands and does not extract', (info) => hmac(KEY, `${info}\x01`), /HKDF without its extract step/],
  ['has K as the salt', (info) => hkdf(KEY, KEY, info), /HKDF with K as the salt/],
  ['has HMAC in place of HKDF', (info) => hmac(KEY, info), /HMAC-SHA256\(K, info\) in place of HKDF/],
]

export const IN_ITS_KEYS: readonly Mistake[] = [
  ...PASSWORDS.map(
    ([name, password, likely]): Mistake => ({
      name,
      mutation: () => ({
        line: connects(() => ({ password: Buffer.from(password) })),
      }),
      fails: 'connection/password',
      likely,
    }),
  ),
  ...ALL_KEYS.map(
    ([name, derive, likely]): Mistake => ({
      name,
      mutation: () => ({
        line: withKeys({ login: derive('sb1/login'), down: derive('sb1/down'), up: derive('sb1/up') }),
      }),
      fails: 'connection/password',
      likely,
    }),
  ),
]

function hkdf(key: Buffer, salt: Buffer | string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, 32))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
