import { createHash, createHmac } from 'node:crypto'
import { downPrefix, sealFrame, upPrefix } from '../../frame.ts'
import type { DeviceKeys } from '../../keys.ts'

/** The ways to corrupt a frame. A case names one of them. */
export const FORGERIES = [
  'altered',
  'wrong-key',
  'reflected',
  'other-sid',
  'earlier-sid',
  'other-serial',
  'no-mac',
  'mac-first',
  'mac-flipped',
  'mac-short',
  'mac-padded',
  'mac-respelled',
  'mac-shorter',
  'mac-other-case',
  'mac-standard-base64',
  'mac-zero',
  'mac-after-zero',
  'cut',
  'tail',
  'tail-zero',
] as const
export type Forgery = (typeof FORGERIES)[number]

/** What the MAC of a down frame depends on. */
export interface Seal {
  keys: DeviceKeys
  serial: string
  sid: string
  /** The previous session. Undefined in the first session. */
  earlierSid: string | undefined
}

const TAIL_BYTES = 32

/** Seals a frame as the hub does. */
export function seal({ keys, serial, sid }: Seal, body: object): Buffer {
  return Buffer.from(sealFrame(keys.down, downPrefix(serial, sid), body))
}

/** Seals JSON text without changing its spelling. */
export function sealText({ keys, serial, sid }: Seal, json: string): Buffer {
  const signed = json.trimEnd().slice(0, -1)
  const hmac = createHmac('sha256', keys.down).update(downPrefix(serial, sid)).update(signed).digest()
  return Buffer.from(`${signed},"mac":"${hmac.subarray(0, 16).toString('base64url')}"}`)
}

/**
 * Other spellings of the same object. `otherwise` is valid: fields in reverse order, a space after every colon and comma,
 * and the first character of every string as a Unicode escape. The others write the integers of the envelope as `42.0`,
 * or those of the body as `42e0`: these are not integers (9.4).
 */
export const SPELLINGS = ['otherwise', 'envelope-fractions', 'body-exponents'] as const
export type Spelling = (typeof SPELLINGS)[number]

export function respelledJson(spelling: Spelling, body: object): string {
  const [envelope = '', d = ''] = JSON.stringify(body).split(/(?="d":)/)
  if (spelling === 'envelope-fractions') return envelope.replace(/":(\d+)/g, '":$1.0') + d
  if (spelling === 'body-exponents') return envelope + d.replace(/":(\d+)/g, '":$1e0')
  const backwards = Object.fromEntries(Object.entries(body).toReversed())
  return JSON.stringify(backwards, null, 1)
    .replace(/\n */g, ' ')
    .replace(/: "([A-Za-z0-9])/g, (_, first: string) => `: "${escaped(first)}`)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Builds a frame that every device must ignore. */
export function forge(forgery: Forgery, given: Seal, wanted: object): Buffer {
  const body = forgery === 'mac-after-zero' ? wanted : withoutZeroInMac(given, wanted)
  const { keys, serial, sid } = given
  const right = seal(given, body)
  const signed = right.subarray(0, -TAIL_BYTES).toString()
  const mac = right.subarray(-TAIL_BYTES + 8, -2).toString()
  switch (forgery) {
    case 'altered':
      return Buffer.concat([
        Buffer.from(JSON.stringify(alter(body)).slice(0, -1)),
        right.subarray(-TAIL_BYTES),
      ])
    case 'wrong-key':
      return Buffer.from(
        sealFrame(createHash('sha256').update(keys.down).digest(), downPrefix(serial, sid), body),
      )
    case 'reflected':
      return Buffer.from(sealFrame(keys.up, upPrefix(serial, sid, 'ack'), body))
    case 'other-sid':
      return seal({ ...given, sid: flipped(sid) }, body)
    case 'earlier-sid':
      return seal({ ...given, sid: given.earlierSid ?? flipped(sid) }, body)
    case 'other-serial':
      return seal({ ...given, serial: `${serial.slice(0, -1)}${serial.endsWith('0') ? '1' : '0'}` }, body)
    case 'no-mac':
      return Buffer.from(`${signed}}`)
    case 'mac-first':
      return Buffer.from(`{"mac":"${mac}",${signed.slice(1)}}`)
    case 'mac-flipped':
      return Buffer.from(`${signed},"mac":"${mac.slice(0, -2)}${otherLetter(mac.at(-2))}${mac.slice(-1)}"}`)
    case 'mac-short':
      return Buffer.from(`${signed},"mac":"${mac.slice(0, 8)}"}`)
    case 'mac-padded':
      return Buffer.from(`${signed},"mac":"${mac}=="}`)
    case 'mac-respelled':
      return Buffer.from(`${signed},"mac":"${mac.slice(0, -1)}${respelled(mac.slice(-1))}"}`)
    case 'mac-shorter':
      return Buffer.from(`${signed},"mac":"${mac.slice(0, -1)}"}`)
    case 'mac-other-case':
      return resealed(
        given,
        body,
        /^.*[A-Za-z].*.$/,
        (text) => `${swapCase(text.slice(0, -1))}${text.slice(-1)}`,
      )
    case 'mac-standard-base64':
      return resealed(given, body, /[-_]/, (text) => text.replaceAll('-', '+').replaceAll('_', '/'))
    case 'mac-zero':
      return Buffer.from(`${signed},"mac":"${'A'.repeat(mac.length)}"}`)
    case 'mac-after-zero':
      return resealed(given, body, /^A[A-P]/, flippedAfterFirstByte)
    case 'cut':
      return right.subarray(0, -1)
    case 'tail':
      return Buffer.concat([right, Buffer.from('\n')])
    case 'tail-zero':
      return Buffer.concat([right, Buffer.of(0)])
  }
}

/**
 * A variant of a frame whose MAC has no zero byte, as it is and altered. A device that compares MACs as C strings, which
 * end at a zero byte, accepts only the frame for this mistake.
 */
function withoutZeroInMac(given: Seal, body: object): object {
  const hasZero = (sealed: object) => macOf(seal(given, sealed)).includes(0)
  let variant = body
  for (let salt = 0; hasZero(variant) || hasZero(alter(variant)); salt += 1) variant = { ...body, salt }
  return variant
}

function macOf(frame: Buffer): Buffer {
  return Buffer.from(frame.subarray(-TAIL_BYTES + 8, -2).toString(), 'base64url')
}

/** Seals variants of a frame until its MAC has a certain form, then writes this MAC otherwise. */
function resealed(given: Seal, body: object, form: RegExp, write: (mac: string) => string): Buffer {
  for (let salt = 0; ; salt += 1) {
    const right = seal(given, { ...body, salt })
    const mac = right.subarray(-TAIL_BYTES + 8, -2).toString()
    if (form.test(mac))
      return Buffer.from(`${right.subarray(0, -TAIL_BYTES).toString()},"mac":"${write(mac)}"}`)
  }
}

/** A comparison of C strings ends at the first byte, which is zero. */
function flippedAfterFirstByte(mac: string): string {
  const bytes = Buffer.from(mac, 'base64url').map((byte, index) => (index === 0 ? byte : byte ^ 0xff))
  return Buffer.from(bytes).toString('base64url')
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** Changes a letter near the end of the MAC: a device that compares only the first bytes accepts it. */
function otherLetter(letter: string | undefined): string {
  return letter?.toUpperCase() === 'A' ? 'B' : 'A'
}

/** Another spelling of the same 128 bits: most decoders ignore the four low bits of the 22nd character. */
function respelled(last: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet.charAt(alphabet.indexOf(last) + 1)
}

function flipped(sid: string): string {
  return `${sid.startsWith('0') ? '1' : '0'}${sid.slice(1)}`
}

/** Changes the amount of a command, or its `ttl` if it has no amount. */
function alter(body: object): object {
  const { d, ttl }: { d?: unknown; ttl?: unknown } = body
  if (typeof d === 'object' && d !== null && 'amount' in d) return { ...body, d: { ...d, amount: '9000000' } }
  return { ...body, ttl: Number(ttl) + 1 }
}
