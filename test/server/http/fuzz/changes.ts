/** What is done to a path or a body on its way, by name: `amount` says how much, or where. */

export const PATH_CHANGES: Record<string, (path: string, amount: number) => string> = {
  none: (path) => path,
  slashBehind: (path) => `${path}/`,
  slashDoubled: (path) => path.replace('/partner/', '//partner//'),
  upperCase: (path) => path.toUpperCase(),
  dots: (path) => path.replace('/partner/', '/x/../partner/./'),
  encoded: (path, amount) => {
    const place = 1 + (amount % (path.length - 1))
    const code = path.charCodeAt(place).toString(16).padStart(2, '0')
    return path[place] === '%' ? path : `${path.slice(0, place)}%${code}${path.slice(place + 1)}`
  },
  encodedWrong: (path) => `${path}%zz%f0%28%`,
  nulBehind: (path) => `${path}%00`,
  long: (path, amount) => `${path}${'x'.repeat(amount)}`,
  many: (path, amount) => `${path}${'/x'.repeat(amount % 500)}`,
  query: (path) => `${path}?x-client-id=a&__proto__=1&a[]=%`,
  fragment: (path) => `${path}#/x`,
  semicolon: (path) => `${path};a=b`,
  backslash: (path) => path.replaceAll('/', '\\'),
}

const insertFirst = (text: string, pairs: string) =>
  text.replace('{', text === '{}' ? `{${pairs}` : `{${pairs},`)

/** Surrounds the whole with spaces until it has so many bytes. */
const sized = (text: string, bytes: number) => text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)))

export const TEXT_CHANGES: Record<
  string,
  (text: string, amount: number) => string | Uint8Array<ArrayBuffer>
> = {
  none: (text) => text,
  empty: () => '',
  cut: (text, amount) => text.slice(0, amount % (text.length + 1)),
  trailing: (text) => `${text}}`,
  twice: (text) => text + text,
  inArray: (text) => `[${text}]`,
  asText: (text) => JSON.stringify(text),
  null: () => 'null',
  byteOrderMark: (text) => `\ufeff${text}`,
  duplicateKeys: (text) =>
    insertFirst(text, [...text.matchAll(/"(\w+)":/g)].map(([, name]) => `"${name}":7`).join() || '"a":1'),
  duplicateKeysBehind: (text) =>
    text.replace(
      /\}$/,
      `${[...text.matchAll(/"(\w+)":/g)]
        .slice(0, 3)
        .map(([, name]) => `,"${name}":null`)
        .join('')}}`,
    ),
  prototypeKeys: (text) =>
    insertFirst(text, '"__proto__":{"deviceSerial":"SB-0001"},"constructor":{"prototype":{}},"toString":1'),
  hugeNumbers: (text) => insertFirst(text, '"a":1e400,"b":-1e-400,"c":123456789012345678901234567890'),
  numbersForText: (text) => text.replaceAll(/"(\d+)"/g, '$1'),
  deep: (text, amount) =>
    insertFirst(text, `"deep":${'['.repeat(amount % 7_000)}${']'.repeat(amount % 7_000)}`),
  deepObjects: (text, amount) =>
    insertFirst(text, `"deep":${'{"a":'.repeat(amount % 2_000)}1${'}'.repeat(amount % 2_000)}`),
  largest: (text) => sized(text, 16 * 1024),
  tooLarge: (text, amount) => sized(text, 16 * 1024 + 1 + amount),
  comment: (text) => `/* */${text}`,
  singleQuotes: (text) => text.replaceAll('"', "'"),
  notANumber: (text) => insertFirst(text, '"a":NaN'),
  escapedSurrogate: (text) => text.replace(/":"/, '":"\\ud800'),
  escapedNul: (text) => text.replace(/":"/, '":"\\u0000'),
  utf16: (text) => new Uint8Array(Buffer.from(text, 'utf16le')),
  latin1: (text) => new Uint8Array(Buffer.from(text.replace(/":"/, '":"\u00e9'), 'latin1')),
  wrongBytes: (text, amount) => {
    const bytes = Buffer.from(text)
    const place = amount % (bytes.length + 1)
    return new Uint8Array(
      Buffer.concat([bytes.subarray(0, place), Buffer.from([0xff]), bytes.subarray(place)]),
    )
  },
  overlong: (text) =>
    new Uint8Array(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc0, 0xaf, 0x7d])])),
}
