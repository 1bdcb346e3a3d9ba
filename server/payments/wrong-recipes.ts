// The hub and the pages of its documentation both run this: it uses nothing but what browsers have too.
import { CHECKSUM_FIELDS, canonicalString, type SignedFields } from './canonical-string.ts'

type Pair = readonly [string, string]

/** A mistake that integrators make often, as the string, or the strings, that they sign by it. */
export interface WrongRecipe {
  mistake: string
  instead: string
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

/** JavaScript's own, but for halves of characters, which it would throw at. */
const encodeComponent = (text: string) => encodeURIComponent(text.toWellFormed())
/** RFC 3986 to the letter, as PHP's rawurlencode writes it: JavaScript's own function leaves five characters more. */
const percentEncode = (text: string) =>
  encodeComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
/** Form-urlencoding in all but the space. */
const spacesAsPercent = (text: string) =>
  form([['', text]])
    .slice(1)
    .replaceAll('+', '%20')

export const WRONG_RECIPES: readonly WrongRecipe[] = [
  {
    mistake: 'signed with spaces as %20 (RFC 3986)',
    instead: 'form-urlencoding writes a space as +',
    write: (fields) =>
      [encodeComponent, percentEncode, spacesAsPercent].map((encode) => join(pairsOf(fields), encode)),
  },
  {
    mistake: 'signed with the fields sorted by name',
    instead: 'use the order of the interface, section 6',
    write: (fields) => form(sorted(pairsOf(fields))),
  },
  {
    mistake: 'signed without encoding',
    instead: 'names and values must be form-urlencoded',
    write: (fields) => join(pairsOf(fields), (text) => text),
  },
  {
    mistake: 'signed with checkSum included',
    instead: 'leave that field out',
    write: (fields) => `${canonicalString(fields)}&checkSum=`,
  },
  {
    mistake: 'signed with empty fields left out',
    instead: 'all eight pairs are signed, an empty one as name=',
    write: (fields) => form(pairsOf(fields).filter(([, text]) => text !== '')),
  },
  {
    mistake: "signed with Python's or Go's encoding of ~ and *",
    instead: 'write ~ as %7E and keep *',
    write: (fields) => join(pairsOf(fields), keepTilde),
  },
  {
    mistake: "signed with Go's Values.Encode, which sorts the fields",
    instead: 'use the order of the interface, section 6',
    write: (fields) => join(sorted(pairsOf(fields)), keepTilde),
  },
]

/** The first well-known mistake whose string is what was signed, if one is. */
export function findWrongRecipe(
  fields: SignedFields,
  wasSigned: (text: string) => boolean,
): WrongRecipe | undefined {
  const right = canonicalString(fields)
  return WRONG_RECIPES.find(({ write }) =>
    [write(fields)].flat().some((text) => text !== right && wasSigned(text)),
  )
}
