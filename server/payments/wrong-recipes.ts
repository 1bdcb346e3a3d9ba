// Runs in the hub and in the documentation's pages, so it uses only what browsers have.
import { CHECKSUM_FIELDS, formEncoded, type SignedFields } from './canonical-string.ts'

type Pair = readonly [string, string]

/** A frequent mistake of integrators, and the strings that are signed by it. */
export interface WrongRecipe {
  mistake: string
  instead: string
  write(pairs: readonly Pair[]): string | string[]
}

const form = (pairs: readonly Pair[]) => join(pairs, formEncoded)
const join = (pairs: readonly Pair[], encode: (text: string) => string) =>
  pairs.map(([name, text]) => `${name}=${encode(text)}`).join('&')
const sorted = (pairs: readonly Pair[]) => [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))
/** PHP's urlencode and http_build_query: they encode * too. */
const encodeStar = (text: string) => formEncoded(text).replaceAll('*', '%2A')
/** Python's quote_plus and Go's QueryEscape: they keep ~ and encode *. */
const keepTilde = (text: string) => encodeStar(text).replaceAll('%7E', '~')
/** .NET's WebUtility.UrlEncode: it keeps ! ( ). */
const keepBrackets = (text: string) =>
  formEncoded(text).replace(/%2[189]/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
const lowerEscapes = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
const inForm = (pairs: readonly Pair[], unicode: 'NFC' | 'NFD') =>
  form(pairs.map(([name, text]): Pair => [name, text.normalize(unicode)]))

/** JavaScript's encodeURIComponent, without its exception for lone surrogates. */
const encodeComponent = (text: string) => encodeURIComponent(text.toWellFormed())
/** Strict RFC 3986, as PHP's rawurlencode: JavaScript leaves five more characters unencoded. */
const percentEncode = (text: string) =>
  encodeComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
/** Form-urlencoding with the space as %20. */
const spacesAsPercent = (text: string) => formEncoded(text).replaceAll('+', '%20')

const THE_ORDER = `the order is ${CHECKSUM_FIELDS.join(', ')}`

export const WRONG_RECIPES: readonly WrongRecipe[] = [
  {
    mistake: 'signed with spaces as %20 (RFC 3986)',
    instead: 'form-urlencoding writes a space as +',
    write: (pairs) => [encodeComponent, percentEncode, spacesAsPercent].map((encode) => join(pairs, encode)),
  },
  {
    mistake: 'signed with the fields sorted by name',
    instead: THE_ORDER,
    write: (pairs) => form(sorted(pairs)),
  },
  {
    mistake: 'signed without encoding',
    instead: 'names and values must be form-urlencoded',
    write: (pairs) => join(pairs, (text) => text),
  },
  {
    mistake: 'signed with checkSum included',
    instead: 'leave that field out',
    write: (pairs) => `${form(pairs)}&checkSum=`,
  },
  {
    mistake: 'signed with empty fields left out',
    instead: 'all eight pairs are signed, an empty one as name=',
    write: (pairs) => form(pairs.filter(([, text]) => text !== '')),
  },
  {
    mistake: "signed with Python's, Go's or PHP's encoding of ~ and *",
    instead: 'write ~ as %7E and keep *',
    write: (pairs) => [keepTilde, encodeStar].map((encode) => join(pairs, encode)),
  },
  {
    mistake: "signed with Go's Values.Encode, which sorts the fields",
    instead: THE_ORDER,
    write: (pairs) => join(sorted(pairs), keepTilde),
  },
  {
    mistake: "signed with lower-case escapes, as .NET's HttpUtility writes them",
    instead: 'write %C3, not %c3, and ! ( ) as %21 %28 %29',
    write: (pairs) =>
      [formEncoded, keepBrackets].map((encode) => join(pairs, (text) => lowerEscapes(encode(text)))),
  },
  {
    mistake: "signed with .NET's WebUtility, which keeps ! ( )",
    instead: 'write them as %21 %28 %29',
    write: (pairs) => join(pairs, keepBrackets),
  },
  {
    mistake: 'signed with a line break after the string',
    instead: 'sign the string alone, as printf does, not echo',
    write: (pairs) => ['\n', '\r\n'].map((end) => form(pairs) + end),
  },
  {
    mistake: 'signed with texts in another Unicode form (NFC, NFD) than they are sent in',
    instead: 'sign and send the same characters',
    write: (pairs) => [inForm(pairs, 'NFC'), inForm(pairs, 'NFD')],
  },
]

/** A frequent mistake with the key, and the keys that are used by it. */
export const WRONG_KEYS = [
  {
    mistake: 'signed with a line break or space after the client secret',
    instead: 'take it off where your code reads the secret',
    write: (secret: string) => ['\n', '\r\n', ' '].map((end) => secret + end),
  },
]

/** The first known mistake whose string was signed. */
export function findWrongRecipe(
  fields: SignedFields,
  wasSigned: (text: string) => boolean,
): WrongRecipe | undefined {
  const pairs = CHECKSUM_FIELDS.map((name): Pair => [name, fields[name]])
  const right = form(pairs)
  const isMistake = (text: string) => text !== right && wasSigned(text)
  return WRONG_RECIPES.find(({ write }) => [write(pairs)].flat().some(isMistake))
}

/** A mistake that only the hub can find, because it knows the client id. */
export const CLIENT_ID_AS_KEY = {
  mistake: 'signed with the client id as the key',
  instead: 'the key is the client secret',
}

/** The first known mistake with the key that explains a checksum of the right string. */
export function findWrongKey(secret: string, wasKey: (key: string) => boolean) {
  return WRONG_KEYS.find(({ write }) => write(secret).some(wasKey))
}
