// Runs in the hub and in the documentation's pages, so it uses only what browsers have.
import type { Words } from '../platform/language/words.ts'
import { CHECKSUM_FIELDS, formEncoded, type SignedFields } from './canonical-string.ts'

type Pair = readonly [string, string]

/** A frequent mistake of integrators, and the strings that are signed by it. */
export interface WrongRecipe {
  mistake: Words
  instead: Words
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

const THE_ORDER = {
  en: `the order is ${CHECKSUM_FIELDS.join(', ')}`,
  vi: `thứ tự đúng là ${CHECKSUM_FIELDS.join(', ')}`,
}

export const WRONG_RECIPES: readonly WrongRecipe[] = [
  {
    mistake: {
      en: 'signed with spaces as %20 (RFC 3986)',
      vi: 'được ký với dấu cách viết thành %20 (RFC 3986)',
    },
    instead: { en: 'form-urlencoding writes a space as +', vi: 'form-urlencoded viết dấu cách thành +' },
    write: (pairs) => [encodeComponent, percentEncode, spacesAsPercent].map((encode) => join(pairs, encode)),
  },
  {
    mistake: { en: 'signed with the fields sorted by name', vi: 'được ký với các trường xếp theo tên' },
    instead: THE_ORDER,
    write: (pairs) => form(sorted(pairs)),
  },
  {
    mistake: { en: 'signed without encoding', vi: 'được ký khi chưa mã hoá URL' },
    instead: {
      en: 'names and values must be form-urlencoded',
      vi: 'tên và giá trị phải được mã hoá theo form-urlencoded',
    },
    write: (pairs) => join(pairs, (text) => text),
  },
  {
    mistake: { en: 'signed with checkSum included', vi: 'được ký kèm cả checkSum' },
    instead: { en: 'leave that field out', vi: 'hãy bỏ trường đó ra' },
    write: (pairs) => `${form(pairs)}&checkSum=`,
  },
  {
    mistake: { en: 'signed with empty fields left out', vi: 'được ký khi đã bỏ các trường rỗng' },
    instead: {
      en: 'all eight pairs are signed, an empty one as name=',
      vi: 'phải ký đủ tám cặp, cặp rỗng viết là name=',
    },
    write: (pairs) => form(pairs.filter(([, text]) => text !== '')),
  },
  {
    mistake: {
      en: "signed with Python's, Go's or PHP's encoding of ~ and *",
      vi: 'được ký với ~ và * mã hoá theo kiểu Python, Go hoặc PHP',
    },
    instead: { en: 'write ~ as %7E and keep *', vi: 'hãy viết ~ thành %7E và giữ nguyên *' },
    write: (pairs) => [keepTilde, encodeStar].map((encode) => join(pairs, encode)),
  },
  {
    mistake: {
      en: "signed with Go's Values.Encode, which sorts the fields",
      vi: 'được ký bằng Values.Encode của Go, hàm này xếp lại các trường',
    },
    instead: THE_ORDER,
    write: (pairs) => join(sorted(pairs), keepTilde),
  },
  {
    mistake: {
      en: "signed with lower-case escapes, as .NET's HttpUtility writes them",
      vi: 'được ký với mã %XX viết thường, như HttpUtility của .NET',
    },
    instead: {
      en: 'write %C3, not %c3, and ! ( ) as %21 %28 %29',
      vi: 'hãy viết %C3 chứ không phải %c3, và viết ! ( ) thành %21 %28 %29',
    },
    write: (pairs) =>
      [formEncoded, keepBrackets].map((encode) => join(pairs, (text) => lowerEscapes(encode(text)))),
  },
  {
    mistake: {
      en: "signed with .NET's WebUtility, which keeps ! ( )",
      vi: 'được ký bằng WebUtility của .NET, hàm này giữ nguyên ! ( )',
    },
    instead: { en: 'write them as %21 %28 %29', vi: 'hãy viết chúng thành %21 %28 %29' },
    write: (pairs) => join(pairs, keepBrackets),
  },
  {
    mistake: {
      en: 'signed with a line break after the string',
      vi: 'được ký với một dấu xuống dòng ở cuối chuỗi',
    },
    instead: {
      en: 'sign the string alone, as printf does, not echo',
      vi: 'chỉ ký chính chuỗi đó, dùng printf thay cho echo',
    },
    write: (pairs) => ['\n', '\r\n'].map((end) => form(pairs) + end),
  },
  {
    mistake: {
      en: 'signed with texts in another Unicode form (NFC, NFD) than they are sent in',
      vi: 'được ký với văn bản ở dạng Unicode (NFC, NFD) khác với dạng được gửi đi',
    },
    instead: { en: 'sign and send the same characters', vi: 'hãy ký và gửi cùng những ký tự như nhau' },
    write: (pairs) => [inForm(pairs, 'NFC'), inForm(pairs, 'NFD')],
  },
]

/** A frequent mistake with the key, and the keys that are used by it. */
export const WRONG_KEYS = [
  {
    mistake: {
      en: 'signed with a line break or space after the client secret',
      vi: 'được ký với dấu xuống dòng hoặc dấu cách ở sau khoá bí mật',
    },
    instead: {
      en: 'take it off where your code reads the secret',
      vi: 'hãy bỏ nó ở chỗ chương trình của bạn đọc khoá bí mật',
    },
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
  mistake: { en: 'signed with the client id as the key', vi: 'được ký với client id làm khoá' },
  instead: { en: 'the key is the client secret', vi: 'khoá đúng là khoá bí mật (client secret)' },
}

/** The first known mistake with the key that explains a checksum of the right string. */
export function findWrongKey(secret: string, wasKey: (key: string) => boolean) {
  return WRONG_KEYS.find(({ write }) => write(secret).some(wasKey))
}
