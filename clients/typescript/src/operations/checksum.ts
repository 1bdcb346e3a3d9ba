import type { PaymentCallbackRequestDto } from '../generated/types.ts'

/** A payment as its processor reports it, before it is signed. `ftCode` or `traceTransfer` is required. */
export type Payment = Omit<PaymentCallbackRequestDto, 'checkSum'>

/** The signed fields, in this order. */
const SIGNED = [
  'terminalID',
  'bankCode',
  'billNumber',
  'transactionAmount',
  'notice',
  'payDate',
  'traceTransfer',
  'ftCode',
] as const

/** The fields of a payment that are signed. */
export type SignedFields = { [Name in (typeof SIGNED)[number]]?: string | null | undefined }

const utf8 = new TextEncoder()

/** The string that is signed: all eight fields, form-urlencoded, an empty or absent one as `name=`. */
export function canonical(payment: SignedFields): string {
  return new URLSearchParams(SIGNED.map((name): [string, string] => [name, payment[name] ?? ''])).toString()
}

/** HMAC-SHA256 of the canonical string under the client secret, in hex. */
export async function checksum(payment: SignedFields, clientSecret: string): Promise<string> {
  const key = await importHmacKey(utf8.encode(clientSecret).slice().buffer, 'sign')
  const digest = await crypto.subtle.sign('HMAC', key, utf8.encode(canonical(payment)))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function importHmacKey(bytes: ArrayBuffer, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}
