import { toBase64url } from '#platform'
import { type DeviceKeys, passwordOf } from '../../keys.ts'
import type { Identity } from './identity.ts'
import { keyGuesses } from './keys.ts'

/** Why a password is wrong. */
export interface PasswordGuess {
  says: string
  /** All keys of a device that makes this mistake, if it is one in the derivation of keys. */
  keys?: DeviceKeys
  /** The device has another K, as far as the kit can tell. */
  isOtherKey?: boolean
}

/** Names the mistake that produces this password. */
export function explainPassword(identity: Identity, password: string): PasswordGuess {
  const { key, keys, serial } = identity
  const direct: readonly (readonly [string, string])[] = [
    ['', 'no password is sent: send the login key in base64url (2.3)'],
    [toBase64url(key), 'it is the key K itself: derive the login key from K (2.2)'],
    [toBase64url(keys.down), 'it is the key sb1/down: derive the password with the info sb1/login (2.2)'],
    [toBase64url(keys.up), 'it is the key sb1/up: derive the password with the info sb1/login (2.2)'],
    [serial, 'it is the serial: send the login key in base64url (2.3)'],
  ]
  const spelled = spellings(keys.login).find(([, text]) => text === password)
  const says = direct.find(([text]) => text === password)?.[1] ?? spelled?.[0]
  if (says !== undefined) return { says }
  const derived = keyGuesses(identity).find((guess) => passwordOf(guess.keys) === password)
  return (
    derived ?? {
      says: 'K gives it in no way that the kit knows: does the device have the K of this serial?',
      isOtherKey: true,
    }
  )
}

/** The login key in other spellings, of which a text may also be cut. */
function spellings(loginKey: Uint8Array): (readonly [string, string])[] {
  const login = Buffer.from(loginKey)
  const right = 'send it as 43 characters of base64url without padding (2.3)'
  const base64 = login.toString('base64')
  return [
    [`${login.toString('base64url')}=`, 'it is padded'],
    [base64, 'it is standard base64, padded, with + and /'],
    [base64.replace('=', ''), 'it is standard base64 with + and / in place of - and _'],
    [login.toString('hex'), 'it is the login key in hex'],
    [login.toString('hex').toUpperCase(), 'it is the login key in hex'],
    [login.toString('latin1'), 'it is the login key as raw bytes'],
    [login.toString(), 'it is the login key as raw bytes'],
    [
      login.toString('base64url').slice(0, -1),
      'its last character is lost (a buffer needs 44 bytes with the NUL)',
    ],
    [`${login.toString('base64url')}\n`, 'it has a line end'],
    [`${login.toString('base64url')}\0`, 'it has a NUL at its end'],
    [login.subarray(0, 16).toString('base64url'), 'it has only the first 16 bytes of the login key'],
  ].map(([text = '', mistake = '']) => [`${mistake}: ${right}`, text] as const)
}
