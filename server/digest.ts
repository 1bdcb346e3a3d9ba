import { hash } from 'node:crypto'

/*
 * Digests of texts, 32 bytes. They are asked for as text and put into a buffer of Node's own pool, because one that
 * OpenSSL fills has memory of its own, which costs more than the hash.
 */

/** SHA-256 of a text in UTF-8. */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'binary')
}

/** Bytes of a block of SHA-256. A longer key of an HMAC is hashed first (RFC 2104, 2). */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/** HMAC-SHA256 of texts under one key, all in UTF-8. What the key alone decides is made once. */
export type Mac = (text: string) => Buffer

/** See protocol/hmac.ts for why this is not createHmac. Held by test/server/digest.test.ts. */
export function macUnder(key: string): Mac {
  const bytes = Buffer.from(key)
  const fitting = bytes.length > BLOCK_BYTES ? sha256(key) : bytes
  const inner = maskedBlock(fitting, 0x36)
  const outer = Buffer.concat([maskedBlock(fitting, 0x5c), Buffer.alloc(DIGEST_BYTES)])
  return (text) => {
    const said = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(text))
    said.set(inner)
    said.write(text, BLOCK_BYTES)
    outer.write(hash('sha256', said, 'binary'), BLOCK_BYTES, 'binary')
    return Buffer.from(hash('sha256', outer, 'binary'), 'binary')
  }
}

/** A block of the key, filled up with zeros, each byte of it combined with `mask`. */
function maskedBlock(key: Buffer, mask: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: BLOCK_BYTES }, (_, index) => (key[index] ?? 0) ^ mask))
}
