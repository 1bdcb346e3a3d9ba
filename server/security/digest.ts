import { isAscii } from 'node:buffer'
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

/** See protocol/hmac.ts for why this is not createHmac. Held by test/server/security/digest.test.ts. */
export function macUnder(key: string): Mac {
  const bytes = Buffer.from(key)
  const fitting = bytes.length > BLOCK_BYTES ? sha256(key) : bytes
  const inner = maskedBlock(fitting, 0x36)
  const outer = Buffer.concat([maskedBlock(fitting, 0x5c), Buffer.alloc(DIGEST_BYTES)])
  // Under an ASCII key, as the hub's own are, both are one text, which is copied once, as it is hashed.
  const asText = isAscii(inner) ? inner.toString('latin1') : undefined
  return (text) => {
    const said = asText === undefined ? Buffer.concat([inner, Buffer.from(text)]) : asText + text
    outer.write(hash('sha256', said, 'binary'), BLOCK_BYTES, 'binary')
    return Buffer.from(hash('sha256', outer, 'binary'), 'binary')
  }
}

/** A block of the key, filled up with zeros, each byte of it combined with `mask`. */
function maskedBlock(key: Buffer, mask: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, mask)
  for (let index = 0; index < key.length; index += 1) block[index] = (key[index] ?? 0) ^ mask
  return block
}
