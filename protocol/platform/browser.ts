import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

/*
 * The bytes of the protocol in a browser, function by function as in node.ts, which documents them. SubtleCrypto has
 * HMAC too, but asynchronously, and on pages over HTTPS only.
 */

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

export function bytesOf(text: string): Uint8Array {
  return ENCODER.encode(text)
}

export function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes)
}

export function toBase64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function fromBase64url(text: string): Uint8Array {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError('only bytes of the same length are compared')
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}

export function hmacSha256(key: Uint8Array, prefix: string, message: Uint8Array): Uint8Array {
  return hmac.create(sha256, key).update(bytesOf(prefix)).update(message).digest()
}
