import { bytesOf, hmacSha256 } from '../../../../protocol/platform/browser.ts'

/** HMAC-SHA256 of a text under a secret. Strings are taken in UTF-8. */
export function sign(secret: string | Uint8Array, text: string | Uint8Array): Uint8Array {
  return hmacSha256(toBytes(secret), '', toBytes(text))
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? bytesOf(text) : text
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
