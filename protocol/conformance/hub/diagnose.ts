import { createHmac } from 'node:crypto'
import { downPrefix, upPrefix } from '../../frame.ts'
import { type DeviceKeys, passwordOf } from '../../keys.ts'
import { UP_QOS, type UpKind } from '../../topics.ts'

/** The serial and keys of the device under test. */
export interface Identity {
  serial: string
  /** The device's secret K. */
  key: Buffer
  keys: DeviceKeys
}

const MAC_BYTES = 16
const TAIL_BYTES = 32

/** Names the common mistake that produces this password, or undefined if none does. */
export function explainPassword({ key, keys, serial }: Identity, password: string): string | undefined {
  const { login } = keys
  const guesses: readonly (readonly [string, string])[] = [
    ['', 'no password is sent'],
    [`${passwordOf(keys)}=`, 'it is padded; use base64url without padding'],
    [login.toString('base64'), 'it is standard base64; use base64url without padding'],
    [
      login.toString('base64').replace('=', ''),
      'it is standard base64; base64url uses - and _ instead of + and /',
    ],
    [login.toString('hex'), 'it is the login key in hex; use base64url without padding'],
    [login.toString('latin1'), 'it is the login key as raw bytes; use base64url without padding'],
    [login.toString(), 'it is the login key as raw bytes; use base64url without padding'],
    [key.toString('base64url'), 'it is the key K itself; derive the login key from K (2.2)'],
    [keys.down.toString('base64url'), 'it is the key sb1/down; derive the password with the info sb1/login'],
    [keys.up.toString('base64url'), 'it is the key sb1/up; derive the password with the info sb1/login'],
    [serial, 'it is the serial'],
    [
      createHmac('sha256', key).update('sb1/login').digest('base64url'),
      'it is HMAC-SHA256(K, info); HKDF first extracts, then expands (RFC 5869)',
    ],
  ]
  return guesses.find(([text]) => text === password)?.[1]
}

/** Names the common mistake that produces this MAC on an up frame, or undefined if none does. */
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
  const signedParts: readonly (readonly [string, Buffer])[] = [
    ['the right bytes', signed],
    ['a closing brace at the end', Buffer.concat([signed, Buffer.from('}')])],
    ['the bytes up to `"mac":"`', payload.subarray(0, -TAIL_BYTES + 8)],
    ['an empty `mac` in the frame', Buffer.concat([signed, Buffer.from(',"mac":""}')])],
  ]
  for (const [keyName, hmacKey] of Object.entries(keysTried))
    for (const [prefixName, prefix] of prefixes)
      for (const [partName, part] of signedParts)
        if (macsOf(hmacKey, prefix, part).includes(received))
          return `it verifies with the key ${keyName}, ${prefixName}, over ${partName}`
  return undefined
}

function upKinds(): UpKind[] {
  // UP_QOS is a constant object, so its keys are exactly those of its type.
  return Object.keys(UP_QOS) as UpKind[]
}

/** The MAC from the first 16 bytes of the digest, and wrongly from the last 16. */
function macsOf(key: Buffer, prefix: string, signed: Buffer): string[] {
  const digest = createHmac('sha256', key).update(prefix).update(signed).digest()
  return [digest.subarray(0, MAC_BYTES), digest.subarray(-MAC_BYTES)].map((mac) => mac.toString('base64url'))
}
