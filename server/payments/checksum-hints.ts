import { timingSafeEqual } from 'node:crypto'
import { CHECKSUM_FIELDS, canonicalString, decodeChecksum, type SignedFields, sign } from './checksum.ts'

type Pair = readonly [string, string]

/** A mistake that integrators make often, as the string, or the strings, that they sign by it. */
interface WrongRecipe {
  /** A sentence that tells what they did and what to do. */
  hint: string
  write(fields: SignedFields): string | string[]
}

const pairsOf = (fields: SignedFields): Pair[] => CHECKSUM_FIELDS.map((name) => [name, fields[name]])
const form = (pairs: readonly Pair[]) =>
  new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString()
const join = (pairs: readonly Pair[], encode: (text: string) => string) =>
  pairs.map(([name, text]) => `${name}=${encode(text)}`).join('&')
const sorted = (pairs: readonly Pair[]) => [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))
/** Python's quote_plus and Go's QueryEscape: they keep ~ and encode *. */
const keepTilde = (text: string) =>
  form([['', text]])
    .slice(1)
    .replaceAll('%7E', '~')
    .replaceAll('*', '%2A')

/** RFC 3986 to the letter, as PHP's rawurlencode writes it: JavaScript's own function leaves five characters more. */
const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
/** Form-urlencoding in all but the space. */
const spacesAsPercent = (text: string) =>
  form([['', text]])
    .slice(1)
    .replaceAll('+', '%20')

const RECIPES: readonly WrongRecipe[] = [
  {
    hint: 'signed with spaces as %20 (RFC 3986): form-urlencoding writes a space as +',
    write: (fields) =>
      [encodeURIComponent, percentEncode, spacesAsPercent].map((encode) => join(pairsOf(fields), encode)),
  },
  {
    hint: 'signed with the fields sorted by name: use the order of the interface, section 6',
    write: (fields) => form(sorted(pairsOf(fields))),
  },
  {
    hint: 'signed without encoding: names and values must be form-urlencoded',
    write: (fields) => join(pairsOf(fields), (text) => text),
  },
  {
    hint: 'signed with checkSum included: leave that field out',
    write: (fields) => `${canonicalString(fields)}&checkSum=`,
  },
  {
    hint: 'signed with empty fields left out: all eight pairs are signed, an empty one as name=',
    write: (fields) => form(pairsOf(fields).filter(([, text]) => text !== '')),
  },
  {
    hint: "signed with Python's or Go's encoding of ~ and *: write ~ as %7E and keep *",
    write: (fields) => join(pairsOf(fields), keepTilde),
  },
  {
    hint: "signed with Go's Values.Encode, which sorts the fields: use the order of the interface, section 6",
    write: (fields) => join(sorted(pairsOf(fields)), keepTilde),
  },
]

/** Names the well-known mistake that explains a wrong checksum, if one does. */
export function explainChecksum(
  fields: SignedFields,
  received: string,
  secrets: readonly string[],
): string | undefined {
  const digest = decodeChecksum(received)
  if (!digest) return 'is not 32 bytes in hex, base64 or base64url'
  const right = canonicalString(fields)
  for (const { hint, write } of RECIPES) {
    const wrong = [write(fields)].flat().filter((text) => text !== right)
    if (wrong.some((text) => secrets.some((secret) => timingSafeEqual(sign(secret, text), digest))))
      return hint
  }
  return undefined
}
