import { createHmac, timingSafeEqual } from 'node:crypto'

/** The fields that the checksum covers, in the interface's order (section 6). */
export const CHECKSUM_FIELDS = [
  'terminalID',
  'bankCode',
  'billNumber',
  'transactionAmount',
  'notice',
  'payDate',
  'traceTransfer',
  'ftCode',
] as const

/** The strings exactly as received; what was absent or null is empty. */
export type SignedFields = Record<(typeof CHECKSUM_FIELDS)[number], string>

/** The string that is signed: all eight pairs, form-urlencoded. */
export function canonicalString(fields: SignedFields): string {
  return new URLSearchParams(CHECKSUM_FIELDS.map((name): [string, string] => [name, fields[name]])).toString()
}

/** HMAC-SHA256 of a string under the client secret, 32 bytes. */
export function sign(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}

/** Reads a received checksum: hex in any case, base64 or base64url; undefined when it is not 32 bytes. */
export function decodeChecksum(received: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(received)) return Buffer.from(received, 'hex')
  // Node's base64 decoder reads both alphabets.
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(received)) return Buffer.from(received, 'base64')
  return undefined
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
