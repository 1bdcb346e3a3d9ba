import { createHmac, hash } from 'node:crypto'

/*
 * Digests of texts, 32 bytes. They are asked for as text and put into a buffer of Node's own pool, because one that
 * OpenSSL fills has memory of its own, which costs more than the hash.
 */

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'binary')
}

/** HMAC-SHA256 of a text under a key, both in UTF-8. */
export function hmacSha256(key: string, text: string): Buffer {
  return Buffer.from(createHmac('sha256', key).update(text).digest('binary'), 'binary')
}
