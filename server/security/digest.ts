import { hash } from 'node:crypto'
import { bufferOf, hmacSha256 } from '../../protocol/platform/node.ts'

/*
 * 32-byte digests of texts in UTF-8. The digest is read as text and copied into a pooled Buffer, because a Buffer
 * filled by OpenSSL has its own memory, which costs more than the hash.
 */

export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'binary')
}

export function hmac(key: string | Buffer, text: string): Buffer {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key
  return bufferOf(hmacSha256(bytes, '', Buffer.from(text)))
}
