import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { DEVICE_KEY_BYTES, type DeviceKeys } from '../../keys.ts'
import type { Identity } from './identity.ts'

/** A mistake in the derivation of the keys, and the keys that a device with it has. */
export interface KeyGuess {
  says: string
  keys: DeviceKeys
}

type Purpose = keyof DeviceKeys
type Derive = (secret: Buffer, info: string) => Buffer
type Row<T> = readonly [says: string, value: T]

const NO_SALT = Buffer.alloc(DEVICE_KEY_BYTES)

const hmac = (key: Uint8Array | string, text: string | Buffer) =>
  createHmac('sha256', key).update(text).digest()
const hkdf = (digest: string, secret: Buffer, salt: Buffer | string, info: string) =>
  Buffer.from(hkdfSync(digest, secret, salt, info, DEVICE_KEY_BYTES))

const rightDerive: Derive = (secret, info) => hkdf('sha256', secret, '', info)
const rightInfo = (purpose: Purpose) => `sb1/${purpose}`

/** What a device takes for K. */
function secrets(key: Buffer): Row<Buffer>[] {
  const text = key.toString('base64url')
  const decode = 'decode the 43 characters of base64url to 32 bytes (2.1)'
  const nul = key.indexOf(0)
  return [
    ['the text of K is used as the key', Buffer.from(text)],
    ['the text of K, with a line end, is used as the key', Buffer.from(`${text}\n`)],
    ['the text of K, with padding, is used as the key', Buffer.from(`${text}=`)],
    ['K in hex is used as the key', Buffer.from(key.toString('hex'))],
    ['K is decoded without its - and _', Buffer.from(text.replace(/[-_]/g, ''), 'base64')],
    ['K is decoded with A in place of - and _', Buffer.from(text.replace(/[-_]/g, 'A'), 'base64')],
    ['only the first 16 bytes of K are used', key.subarray(0, 16)],
    ['the last byte of K is lost', key.subarray(0, -1)],
    ['K ends at its first zero byte', nul < 0 ? key : key.subarray(0, nul)],
    ['the bytes of K are in reverse order', Buffer.from(key).reverse()],
    ['K is hashed first', createHash('sha256').update(key).digest()],
  ].map(([mistake, secret]) => [`${mistake}: ${decode}`, Buffer.from(secret ?? '')])
}

/** Info strings in other spellings. */
const INFOS: readonly ((purpose: Purpose) => string)[] = [
  (purpose) => `sb1/${purpose[0]?.toUpperCase()}${purpose.slice(1)}`,
  (purpose) => `SB1/${purpose}`,
  (purpose) => `SB1/${purpose.toUpperCase()}`,
  (purpose) => `sb1/${purpose}\0`,
  (purpose) => `sb1/${purpose}\n`,
  ...['-', '_', ':', '|', '.', ' ', ''].map((sign) => (purpose: Purpose) => `sb1${sign}${purpose}`),
  (purpose) => `sb/1/${purpose}`,
  (purpose) => `/sb1/${purpose}`,
  (purpose) => purpose,
  () => 'sb1',
  () => '',
]

/** Other ways to make a key of K and the info. */
function derivations(serial: string): Row<Derive>[] {
  const prk = (secret: Buffer) => hmac(NO_SALT, secret)
  return [
    ['HKDF without its extract step', (secret, info) => hmac(secret, `${info}\x01`)],
    ['HMAC-SHA256(K, info) in place of HKDF', (secret, info) => hmac(secret, info)],
    ['HMAC-SHA256(info, K) in place of HKDF', (secret, info) => hmac(info, secret)],
    ['SHA-256(K, info) in place of HKDF', (secret, info) => sha256(secret, info)],
    ['HKDF without its expand step', (secret) => prk(secret)],
    ['HKDF without the byte 1 behind the info', (secret, info) => hmac(prk(secret), info)],
    ['HKDF that counts from 0', (secret, info) => hmac(prk(secret), `${info}\0`)],
    ['HKDF with K as the salt', (secret, info) => hkdf('sha256', secret, secret, info)],
    ['HKDF with the serial as the salt', (secret, info) => hkdf('sha256', secret, serial, info)],
    ['HKDF with the salt "sb1"', (secret, info) => hkdf('sha256', secret, 'sb1', info)],
    ['HKDF with the info as the salt', (secret, info) => hkdf('sha256', secret, info, '')],
    ['HKDF with the info as the salt too', (secret, info) => hkdf('sha256', secret, info, info)],
    ['HKDF with SHA-512', (secret, info) => hkdf('sha512', secret, '', info)],
    ['HKDF with SHA-1', (secret, info) => hkdf('sha1', secret, '', info)],
  ]
}

/** Every single mistake of a derivation that the kit knows. */
export function keyGuesses(identity: Identity): KeyGuess[] {
  const { serial } = identity
  const key = Buffer.from(identity.key)
  return [
    ...secrets(key).map(([says, secret]) =>
      guess(says, (purpose) => rightDerive(secret, rightInfo(purpose))),
    ),
    ...INFOS.map((info) =>
      guess(
        `the info is ${JSON.stringify(info('login'))}: it is "sb1/login", "sb1/down", "sb1/up" without a NUL (2.2)`,
        (purpose) => rightDerive(key, info(purpose)),
      ),
    ),
    ...derivations(serial).map(([mistake, derive]) =>
      guess(
        `the keys are made by ${mistake}: use HKDF-SHA256 with an empty salt, extract, then expand (2.2, RFC 5869)`,
        (purpose) => derive(key, rightInfo(purpose)),
      ),
    ),
  ]
}

function guess(says: string, keyFor: (purpose: Purpose) => Buffer): KeyGuess {
  return { says, keys: { login: keyFor('login'), down: keyFor('down'), up: keyFor('up') } }
}

function sha256(secret: Buffer, info: string): Buffer {
  return createHash('sha256').update(secret).update(info).digest()
}
