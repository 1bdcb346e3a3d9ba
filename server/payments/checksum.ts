import { timingSafeEqual } from 'node:crypto'
import { createBoundedMap } from '../platform/bounded-map.ts'
import { type Mac, macUnder } from '../security/digest.ts'
import { canonicalString, decodeChecksum, type SignedFields } from './canonical-string.ts'

/** HMAC-SHA256 of a string under the client secret, 32 bytes. */
export type Sign = (secret: string, text: string) => Buffer

export const sign: Sign = (secret, text) => macUnder(secret)(text)

/** Secrets that a signer remembers; they are no more than the storage keeps opened. */
const SECRETS = 1_000

/** Signs as `sign` does, in half the time under a secret that it has seen before. */
export function createSigner(): Sign {
  const macs = createBoundedMap<Mac>(SECRETS)
  return (secret, text) => {
    const known = macs.get(secret)
    if (known) return known(text)
    const mac = macUnder(secret)
    macs.set(secret, mac)
    return mac(text)
  }
}

/**
 * Whether the checksum belongs to the fields under any of the live secrets. `payDate` may also have been
 * signed as `payDateIso`, its `toISOString()`, because that is what JSON.stringify makes of a Date.
 */
export function isSigned(
  fields: SignedFields,
  payDateIso: string,
  received: string,
  secrets: readonly string[],
  signed: Sign = sign,
): boolean {
  const digest = bytesOf(received)
  if (!digest) return false
  const isOf = (form: string) => secrets.some((secret) => timingSafeEqual(signed(secret, form), digest))
  if (isOf(canonicalString(fields))) return true
  return payDateIso !== fields.payDate && isOf(canonicalString({ ...fields, payDate: payDateIso }))
}

const HEX = /^[0-9a-fA-F]{64}$/

/**
 * As decodeChecksum. Node's own decoder reads hex, which most partners send, in a fifth of the time. Without the pattern
 * it would accept any character whose code ends in a digit's.
 */
function bytesOf(received: string): Uint8Array | undefined {
  return HEX.test(received) ? Buffer.from(received, 'hex') : decodeChecksum(received)
}
