import { createHmac } from 'node:crypto'
import { downPrefix, upPrefix } from '../../frame.ts'
import { type DeviceKeys, passwordOf } from '../../keys.ts'
import { UP_QOS, type UpKind } from '../../topics.ts'

/** What the kit knows of the device under test. */
export interface Identity {
  serial: string
  /** The device's secret K. */
  key: Buffer
  keys: DeviceKeys
}

const MAC_BYTES = 16
const TAIL_BYTES = 32

/** The usual mistake that explains a wrong password; undefined when none does. */
export function explainPassword({ key, keys, serial }: Identity, password: string): string | undefined {
  const { login } = keys
  const guesses: readonly (readonly [string, string])[] = [
    ['', 'no password is sent'],
    [`${passwordOf(keys)}=`, 'it is padded: base64url without padding is wanted'],
    [login.toString('base64'), 'it is standard base64: base64url without padding is wanted'],
    [login.toString('base64').replace('=', ''), 'it is standard base64: base64url has - and _ for + and /'],
    [login.toString('hex'), 'it is the login key in hex: base64url without padding is wanted'],
    [login.toString('latin1'), 'it is the login key as raw bytes: base64url without padding is wanted'],
    [login.toString(), 'it is the login key as raw bytes: base64url without padding is wanted'],
    [key.toString('base64url'), 'it is the key K itself: derive the login key from it (2.2)'],
    [keys.down.toString('base64url'), 'it is the key sb1/down: the info of the password is sb1/login'],
    [keys.up.toString('base64url'), 'it is the key sb1/up: the info of the password is sb1/login'],
    [serial, 'it is the serial'],
    [
      createHmac('sha256', key).update('sb1/login').digest('base64url'),
      'it is HMAC-SHA256(K, info): HKDF extracts first, then expands (RFC 5869)',
    ],
  ]
  return guesses.find(([text]) => text === password)?.[1]
}

/** The usual mistake that explains a wrong MAC on an up frame; undefined when none does. */
export function explainMac(
  { key, keys, serial }: Identity,
  { sid, earlierSids, kind }: { sid: string; earlierSids: readonly string[]; kind: UpKind },
  payload: Buffer,
): string | undefined {
  const signed = payload.subarray(0, -TAIL_BYTES)
  const received = payload.subarray(-TAIL_BYTES + 8, -2).toString('latin1')
  const keysTried = { 'sb1/up': keys.up, 'sb1/down': keys.down, 'sb1/login': keys.login, K: key }
  const prefixes: readonly (readonly [string, string])[] = [
    ['the right prefix', upPrefix(serial, sid, kind)],
    ['no prefix', ''],
    ['the prefix of the other direction', downPrefix(serial, sid)],
    ['the prefix without the kind', `sb1|up|${serial}|${sid}|`],
    ['the prefix without sid and kind', `sb1|up|${serial}|`],
    ['the prefix without its last |', upPrefix(serial, sid, kind).slice(0, -1)],
    ...earlierSids.map((old) => ['the sid of an earlier session', upPrefix(serial, old, kind)] as const),
    ...upKinds().map((other) => [`the kind "${other}" in the prefix`, upPrefix(serial, sid, other)] as const),
  ]
  const spans: readonly (readonly [string, Buffer])[] = [
    ['the right bytes', signed],
    ['a closing brace at the end', Buffer.concat([signed, Buffer.from('}')])],
    ['the bytes up to `"mac":"`', payload.subarray(0, -TAIL_BYTES + 8)],
    ['an empty `mac` in the frame', Buffer.concat([signed, Buffer.from(',"mac":""}')])],
  ]
  for (const [keyName, hmacKey] of Object.entries(keysTried))
    for (const [prefixName, prefix] of prefixes)
      for (const [spanName, span] of spans)
        if (macsOf(hmacKey, prefix, span).includes(received))
          return `it verifies with the key ${keyName}, ${prefixName}, over ${spanName}`
  return undefined
}

function upKinds(): UpKind[] {
  // The keys of a constant object are exactly its type's.
  return Object.keys(UP_QOS) as UpKind[]
}

/** The MAC in the right form, and cut from the wrong end. */
function macsOf(key: Buffer, prefix: string, signed: Buffer): string[] {
  const digest = createHmac('sha256', key).update(prefix).update(signed).digest()
  return [digest.subarray(0, MAC_BYTES), digest.subarray(-MAC_BYTES)].map((mac) => mac.toString('base64url'))
}
