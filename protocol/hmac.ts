import { hash } from 'node:crypto'

/** The size of a SHA-256 block. HMAC hashes a longer key first (RFC 2104, 2). */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/**
 * HMAC-SHA256 (RFC 2104) of an ASCII prefix followed by `text`. Returns 32 characters, one for each byte ('binary').
 *
 * Why not createHmac: it allocates objects outside V8's heap and frees them again. On Node.js 24 a frame takes 1.2 to
 * 1.6 µs here, 4 µs with createHmac and a KeyObject, and 15 to 20 µs with createHmac and a Buffer as the key. The
 * digest is text because a Buffer filled by OpenSSL has its own memory. test/protocol/hmac.test.ts compares this with
 * OpenSSL.
 */
export function hmacSha256(key: Buffer, prefix: string, text: Buffer): string {
  const blockKey = key.length > BLOCK_BYTES ? Buffer.from(hash('sha256', key, 'binary'), 'binary') : key
  const inner = maskedKey(blockKey, 0x36, prefix.length + text.length)
  inner.write(prefix, BLOCK_BYTES, 'latin1')
  inner.set(text, BLOCK_BYTES + prefix.length)
  const outer = maskedKey(blockKey, 0x5c, DIGEST_BYTES)
  outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'binary')
  return hash('sha256', outer, 'binary')
}

/** One block with the key, padded with zeros and XORed with `mask`, followed by `room` bytes for the message. */
function maskedKey(key: Buffer, mask: number, room: number): Buffer {
  const bytes = Buffer.allocUnsafe(BLOCK_BYTES + room).fill(mask, 0, BLOCK_BYTES)
  for (let index = 0; index < key.length; index += 1) bytes[index] = (key[index] ?? 0) ^ mask
  return bytes
}
