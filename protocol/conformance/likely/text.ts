/** How a text, or what stands in its place, came to differ from the one that was sent. Undefined if nobody knows. */
export function explainText(came: unknown, wanted: string): string | undefined {
  if (typeof came === 'number')
    return String(came) === wanted ? 'it is a number: write it in quotes' : undefined
  if (typeof came !== 'string' || came === wanted) return undefined
  return ROWS.find(([, isSo]) => isSo(came, wanted))?.[0](came)
}

type Row = readonly [says: (came: string) => string, isSo: (came: string, wanted: string) => boolean]

const DECODE = 'decode every escape of JSON, `\\u` with its four digits and `\\/` too (9.3)'

const ROWS: readonly Row[] = [
  [() => 'it is empty', (came) => came === ''],
  [() => 'it is in lower case: send it as it came', (came, wanted) => came === wanted.toLowerCase()],
  [() => 'it is in upper case: send it as it came', (came, wanted) => came === wanted.toUpperCase()],
  [
    (came) => `it is cut to ${came.length} characters: does its buffer have room for the NUL?`,
    (came, wanted) => wanted.startsWith(came),
  ],
  [
    (came) => `its first characters are lost: ${came.length} are left`,
    (came, wanted) => wanted.endsWith(came),
  ],
  [() => 'it has something at its end: is a length wrong?', (came, wanted) => came.startsWith(wanted)],
  [() => `an escape is not decoded: ${DECODE}`, (came, wanted) => unescaped(came) === wanted],
  [
    () => `of an escape the backslash is lost, not decoded: ${DECODE}`,
    (came, wanted) => barely(came) === wanted,
  ],
  [() => 'its UTF-8 is read as Latin-1: texts are UTF-8 (5.1)', (came, wanted) => utf8(came) === wanted],
  [
    () => `characters are replaced: ${DECODE}, and keep UTF-8`,
    (came, wanted) =>
      came.length === wanted.length &&
      [...came].every((one, at) => /[?\uFFFD]/.test(one) || one === wanted[at]),
  ],
]

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => character(hex)).replace(/\\(.)/g, '$1')
}

function barely(text: string): string {
  return text.replace(/u([0-9a-fA-F]{4})/g, (_, hex: string) => character(hex))
}

function character(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString()
}
