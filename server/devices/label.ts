import { hmac } from '../security/digest.ts'
import { isSame } from '../security/vault.ts'

/**
 * A label takes the place of a verification code for a speaker of another maker that can neither show nor say one. It is
 * printed when the speaker is added, and stands on it. Its characters are those of Crockford's base 32.
 */
const LABEL = /^[0-9A-HJKMNP-TV-Z]{12}$/

/**
 * The label that a person has typed, in capital letters and without its hyphens. Undefined for what is no label, such as a
 * code of six digits.
 */
export function readLabel(typed: string): string | undefined {
  const label = typed.toUpperCase().replaceAll('-', '')
  return LABEL.test(label) ? label : undefined
}

/**
 * The stored hash of a label. It is keyed with the device's own key K, which is sealed, and is bound to its serial.
 *
 * Why not with the master key, as the hash of a code: a label is valid for as long as the device, and outlives the master
 * key.
 */
export function labelHash(key: Buffer, serial: string, label: string): Buffer {
  return hmac(key, `label/${serial}/${label}`)
}

/** Whether a label is that of the device with this key and hash. */
export function isLabel({ key, serial, hash }: { key: Buffer; serial: string; hash: Buffer }, label: string) {
  return isSame(hash, labelHash(key, serial, label))
}
