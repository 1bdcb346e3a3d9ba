import { hash } from 'node:crypto'
import { hmacSha256 as macOfBytes } from '../protocol/hmac.ts'

/*
 * Digests of texts, 32 bytes. They are asked for as text and put into a buffer of Node's own pool, because one that
 * OpenSSL fills has memory of its own, which costs more than the hash.
 */

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'binary')
}

/** The key of an HMAC has up to one block of the hash; a longer one is hashed first (RFC 2104, 2). */
const KEY_BYTES = 64

/** HMAC-SHA256 of a text under a key, both in UTF-8. */
export function hmacSha256(key: string, text: string): Buffer {
  const bytes = Buffer.from(key)
  const fitting = bytes.length > KEY_BYTES ? sha256(key) : bytes
  return Buffer.from(macOfBytes(fitting, '', Buffer.from(text)), 'binary')
}
