import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalString, decodeChecksum, type SignedFields } from './canonical-string.ts'

/** HMAC-SHA256 of a string under the client secret, 32 bytes. */
export function sign(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
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
) {
  const digest = decodeChecksum(received)
  if (!digest) return false
  const forms = [canonicalString(fields)]
  if (payDateIso !== fields.payDate) forms.push(canonicalString({ ...fields, payDate: payDateIso }))
  return secrets.some((secret) => forms.some((form) => timingSafeEqual(sign(secret, form), digest)))
}
