import { hash } from 'node:crypto'

/** Bytes of a block of SHA-256. A longer key would have to be hashed first; none of sb/1 is. */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/**
 * HMAC-SHA256 (RFC 2104) of an ASCII prefix and what follows it: 32 characters, one for each byte. The key has up to 64
 * bytes.
 *
 * Why not createHmac: for a frame it takes three times as long, because of the objects that it makes outside of V8's
 * heap, and each of them has to be freed again. A digest is asked for as text, because a buffer that OpenSSL fills has
 * memory of its own. Held by test/protocol/hmac.test.ts.
 */
export function hmacSha256(key: Buffer, prefix: string, text: Buffer): string {
  if (key.length > BLOCK_BYTES) throw new RangeError('a key has up to 64 bytes')
  const inner = afterKey(key, 0x36, prefix.length + text.length)
  inner.write(prefix, BLOCK_BYTES, 'latin1')
  inner.set(text, BLOCK_BYTES + prefix.length)
  const outer = afterKey(key, 0x5c, DIGEST_BYTES)
  outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'binary')
  return hash('sha256', outer, 'binary')
}

/** A block of the key, filled up with zeros, each byte of it combined with `mask`; then room for what follows. */
function afterKey(key: Buffer, mask: number, room: number): Buffer {
  const bytes = Buffer.allocUnsafe(BLOCK_BYTES + room).fill(mask, 0, BLOCK_BYTES)
  for (let index = 0; index < key.length; index += 1) bytes[index] = (key[index] ?? 0) ^ mask
  return bytes
}
