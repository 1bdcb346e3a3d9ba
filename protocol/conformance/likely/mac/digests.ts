/** A way to write a MAC of a digest of 32 bytes. */
export interface DigestForm {
  /** Undefined for the right one. */
  says: string | undefined
  /** How many characters it has. */
  characters: number
  write: (digest: Buffer) => string
}

const MAC_BYTES = 16
const RULE = 'it is the first 16 bytes of the digest in base64url without padding: 22 characters (5.2)'

const base64url = (bytes: Buffer) => bytes.toString('base64url')
const first = (digest: Buffer) => digest.subarray(0, MAC_BYTES)

/** The right form first, then those of common mistakes. */
export const DIGEST_FORMS: readonly DigestForm[] = [
  { says: undefined, characters: 22, write: (digest) => base64url(first(digest)) },
  ...wrong(
    ['the MAC is the last 16 bytes of the digest', 22, (digest) => base64url(digest.subarray(-MAC_BYTES))],
    ['the MAC is cut from the base64url of the whole digest', 22, (digest) => base64url(digest).slice(0, 22)],
    ['the MAC is cut to 16 characters', 16, (digest) => base64url(digest).slice(0, 16)],
    ['the MAC is cut to 8 bytes', 11, (digest) => base64url(digest.subarray(0, 8))],
    ['the MAC has all 32 bytes of the digest', 43, base64url],
    ['the MAC is in hex', 32, (digest) => first(digest).toString('hex')],
    ['the MAC is in hex', 32, (digest) => first(digest).toString('hex').toUpperCase()],
    ['the MAC is in hex, and is the whole digest', 64, (digest) => digest.toString('hex')],
    ['the MAC is hex, cut to 22 characters', 22, (digest) => digest.toString('hex').slice(0, 22)],
    ['the MAC is hex, cut to 16 characters', 16, (digest) => digest.toString('hex').slice(0, 16)],
    ['the MAC is padded', 24, (digest) => `${base64url(first(digest))}==`],
    [
      'the MAC is standard base64, with + and /',
      22,
      (digest) => first(digest).toString('base64').slice(0, 22),
    ],
    ['the MAC is standard base64, padded', 24, (digest) => first(digest).toString('base64')],
    [
      'the digest has the bytes of each 32-bit word swapped',
      22,
      (digest) => base64url(first(Buffer.from(digest).swap32())),
    ],
    [
      'the digest has the bytes of each 16-bit word swapped',
      22,
      (digest) => base64url(first(Buffer.from(digest).swap16())),
    ],
    [
      'the digest has the bytes of each 64-bit word swapped',
      22,
      (digest) => base64url(first(Buffer.from(digest).swap64())),
    ],
    ['the digest is in reverse order', 22, (digest) => base64url(first(Buffer.from(digest).reverse()))],
    ['the MAC is in reverse order', 22, (digest) => base64url(Buffer.from(first(digest)).reverse())],
  ),
]

function wrong(...rows: readonly [string, number, (digest: Buffer) => string][]): DigestForm[] {
  return rows.map(([mistake, characters, write]) => ({ says: `${mistake}: ${RULE}`, characters, write }))
}
