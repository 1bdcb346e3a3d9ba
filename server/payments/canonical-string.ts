// The hub and the pages of its documentation both run this: it uses nothing but what browsers have too.

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

/** The strings exactly as received; what was absent or null is empty. */
export type SignedFields = Record<SignedField, string>

/** The string that is signed: all eight pairs, form-urlencoded. */
export function canonicalString(fields: SignedFields): string {
  let text = ''
  for (const name of CHECKSUM_FIELDS) text += `${text === '' ? '' : '&'}${name}=${formEncoded(fields[name])}`
  return text
}

/** What form-urlencoding leaves as it is. */
const PLAIN = /^[\w.*-]*$/
/** What encodeURIComponent writes otherwise than form-urlencoding: the space, and what it leaves as it is. */
const OTHERWISE = /%20|[!'()~]/g

/**
 * As URLSearchParams writes a value, to the byte: halves of characters are replaced too. By itself that takes half as
 * long again, for the list of pairs that it keeps. Held by test/server/payments/checksum.test.ts.
 */
function formEncoded(text: string): string {
  if (PLAIN.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replace(OTHERWISE, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Reads a received checksum: hex in any case, base64 or base64url; undefined when it is not 32 bytes. */
export function decodeChecksum(received: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(received)) return bytesOfHex(received)
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(received)) {
    const standard = received.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(standard), (char) => char.charCodeAt(0))
  }
  return undefined
}

function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i += 1)
    bytes[i] = (hexDigit(hex.charCodeAt(2 * i)) << 4) | hexDigit(hex.charCodeAt(2 * i + 1))
  return bytes
}

/** In ASCII the low four bits of a digit are its value; those of a letter, in either case, are nine less. */
function hexDigit(code: number): number {
  return code & 0x40 ? (code & 0xf) + 9 : code & 0xf
}
