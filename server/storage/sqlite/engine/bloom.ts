/**
 * A Bloom filter: bits that say of a key whether it may be among those that were added, or surely is not.
 *
 * 4,000 bytes for 2,600 keys, with eight bits a key: one key in 400 that was not added seems to be there.
 */
export const BLOOM_BYTES = 4_000
const BITS = BLOOM_BYTES * 8
const BITS_OF_KEY = 8

export function addToBloom(bloom: Uint8Array, key: string): void {
  const first = hash(key)
  const step = stepOf(first)
  // A loop without an array: a digest adds 2,600 keys in the commit of a payment.
  for (let index = 0, at = first; index < BITS_OF_KEY; index += 1, at += step) {
    const bit = at % BITS
    bloom[bit >>> 3] = (bloom[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
}

/** The places of a key, to look at many filters for it. */
export function bitsOf(key: string): number[] {
  const first = hash(key)
  const step = stepOf(first)
  return Array.from({ length: BITS_OF_KEY }, (_, index) => (first + index * step) % BITS)
}

/** False when the key with these places was never added. */
export function mayHave(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0)
}

/** A number of 32 bits: FNV-1a, mixed by the end of MurmurHash3. It is stored, so it may never change. */
function hash(key: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1)
    value = Math.imul(value ^ key.charCodeAt(index), 0x01000193)
  return mixed(value)
}

/** An odd step visits other places each time. */
const stepOf = (first: number) => (mixed(first ^ 0x9e3779b9) | 1) >>> 0

function mixed(value: number): number {
  let bits = value ^ (value >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
