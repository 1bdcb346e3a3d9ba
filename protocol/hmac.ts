import { hash } from 'node:crypto'

/** Bytes of a block of SHA-256. A longer key would have to be hashed first; none of sb/1 is. */
const BLOCK_BYTES = 64

/**
 * HMAC-SHA256 (RFC 2104) of parts that follow each other: 32 characters, one for each byte. The key has up to 64 bytes.
 *
 * Why not createHmac: for a frame it takes two to three times as long, because of the objects that it makes outside of
 * V8's heap, and each of them has to be freed again. A digest is asked for as text, because a buffer that OpenSSL fills
 * has memory of its own. Held by test/protocol/hmac.test.ts.
 */
export function hmacSha256(key: Buffer, parts: readonly Buffer[]): string {
  if (key.length > BLOCK_BYTES) throw new RangeError('a key has up to 64 bytes')
  const inner = hash('sha256', Buffer.concat([masked(key, 0x36), ...parts]), 'binary')
  return hash('sha256', Buffer.concat([masked(key, 0x5c), Buffer.from(inner, 'binary')]), 'binary')
}

/** The key, filled up with zeros to a block, each byte of it combined with `mask`. */
function masked(key: Buffer, mask: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, mask)
  for (let index = 0; index < key.length; index += 1) block[index] = (key[index] ?? 0) ^ mask
  return block
}
