// Runs in the hub and in the documentation's pages, so it uses only what browsers have.

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

export type SignedField = (typeof CHECKSUM_FIELDS)[number]

/** The strings exactly as received; absent and null are empty. */
export type SignedFields = Record<SignedField, string>

/** Builds the eight fields, each from its name. */
export function signedFields(textOf: (name: SignedField) => string): SignedFields {
  // Object.fromEntries widens the type of the names.
  return Object.fromEntries(CHECKSUM_FIELDS.map((name) => [name, textOf(name)])) as SignedFields
}

/** The string that is signed: all eight pairs, form-urlencoded. */
export function canonicalString(fields: SignedFields): string {
  let text = ''
  for (const { name, head } of HEADS) text += head + formEncoded(fields[name])
  return text
}

/** The text before each value. */
const HEADS = CHECKSUM_FIELDS.map((name, index) => ({ name, head: `${index === 0 ? '' : '&'}${name}=` }))

/** A text that form-urlencoding does not change. */
const PLAIN = /^[\w.*-]*$/
const ASCII = Array.from({ length: 0x80 }, (_, code) => asPair(String.fromCharCode(code)))

/**
 * Encodes a value exactly as URLSearchParams does. A callback has two values that are not plain, and an URLSearchParams
 * for each costs more than the rest of the string. Held by test/server/payments/checksum.test.ts.
 */
export function formEncoded(text: string): string {
  if (PLAIN.test(text)) return text
  let encoded = ''
  for (let index = 0; index < text.length; index += 1) {
    const char = ASCII[text.charCodeAt(index)]
    if (char === undefined) return asPair(text)
    encoded += char
  }
  return encoded
}

function asPair(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** Reads a received checksum: hex in any case, base64 or base64url; undefined when it is not 32 bytes. */
export function decodeChecksum(received: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(received))
    return Uint8Array.from(received.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(received)) {
    const standard = received.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(standard), (char) => char.charCodeAt(0))
  }
  return undefined
}
