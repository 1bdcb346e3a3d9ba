import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from '../digest.ts'
import { canonicalString, decodeChecksum, type SignedFields } from './canonical-string.ts'

/** HMAC-SHA256 of a string under the client secret, 32 bytes. */
export function sign(secret: string, text: string): Buffer {
  return hmacSha256(secret, text)
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
): boolean {
  const digest = decodeChecksum(received)
  if (!digest) return false
  const signs = (form: string) => secrets.some((secret) => timingSafeEqual(sign(secret, form), digest))
  if (signs(canonicalString(fields))) return true
  return payDateIso !== fields.payDate && signs(canonicalString({ ...fields, payDate: payDateIso }))
}
