import fc from 'fast-check'
import { downPrefix, openFrame, sealText } from '../../../../protocol/frame.ts'
import type { AcceptanceCase } from '../../../../protocol/generate/formats/acceptance.ts'
import { type DeviceKeys, deriveKeys } from '../../../../protocol/keys.ts'
import { parseCommand } from '../../../../protocol/messages/command.ts'
import type { Printed } from '../../../protocol/c/build.ts'

/** Frames that no hub sends, and what a device has to make of them. */

export const SERIAL = 'SPK-2026-000123'
export const NOW = 1_763_678_400
export const SID = '9f86d081884c7d65'
export const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const keys: DeviceKeys = deriveKeys(KEY)

/** A device that is welcomed and on whose screen is a bill; its hub's clock is that of the cases. */
export const SETUP = [
  `device ${SERIAL} ${KEY.toString('base64url')} 1.0.0 SB-1 512 41 3 80 vi vi,en screen,speaker,qr,rekey,update`,
  `session ${SID} welcomed 01JD3Z8Q6X9V5T7M2K4N8P0018 1763678400 0 0`,
  `screen qr ${Buffer.from('0002').toString('hex')} 180000 ${Buffer.from('BILL-7').toString('hex')} 4294967295`,
]

/** What a mutation puts in: the letters that JSON is made of, escapes whole and half, and ends of ranges. */
const PIECES = [
  ...['', '{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '\u0000', '\u001f', '0', '9', '-', '/'],
  ...['null', 'true', 'false', '{}', '[]', '""', '{"a":[', ']}', ',"n":7', ',"t":"code"', ',"d":{}'],
  ...['\\u0041', '\\ud83e', '\\udDcB', '\\ud83e\\uddcb', '\\u00', '\\u0000', '\\x', '\\/', 'é', '\u{1f9cb}'],
  ...['4294967295', '4294967296', '18446744073709551616', '  ', 'a b', 'A'.repeat(65), '['.repeat(33)],
]

const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.constantFrom(0, 0, 1, 2, 7, 40),
    put: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })),
  }),
  { minLength: 1, maxLength: 3 },
)

/** Values at and beyond the edges of what a field may hold, and of other types. */
const VALUES: unknown[] = [
  ...[0, 1, 100, 101, -1, 41, 42, 4_294_967_295, 4_294_967_296, null, true, false, [], {}, [[{}]]],
  ...['', '0', '1', '050000', '180000', '9999999999999', '99999999999999', '9'.repeat(19), '9'.repeat(20)],
  ...['vi', 'en', 'fr', 'VND', 'VN', 'vnd', 'qr', 'code', 'all', 'announce', 'dance', '048213', '04821x'],
  ...['A'.repeat(43), `${'A'.repeat(42)}B`, 'v1.0+2', 'http://a', 'HTTP://a', 'https://', 'http://a"b'],
  ...['da-nhan 5', 'da-nhan  5', ' 5', '5 ', 'A', '5'.repeat(16), '5'.repeat(17), `${'5 '.repeat(199)}5`],
  ...[
    'BILL-7',
    'x'.repeat(32),
    'x'.repeat(33),
    'x'.repeat(64),
    'x'.repeat(65),
    'ế'.repeat(64),
    'ế'.repeat(65),
  ],
  ...[
    '\u{1f9cb}'.repeat(32),
    '\u{1f9cb}'.repeat(33),
    '\ud83e',
    '\u0000',
    '"\\/\b\f\n\r\t',
    '01JD3Z8Q6X9V5T7M2K4N8P0R1I',
  ],
]
const FIELDS = [
  't',
  'id',
  'n',
  'at',
  'ttl',
  'd',
  'amount',
  'currency',
  'lang',
  'clips',
  'bill',
  'code',
  'exp',
]
const MORE_FIELDS = [
  ...['qr', 'name', 'what', 'count', 'ver', 'volume', 'now', 'linked', 'unknown'],
  ...['key', 'fw', 'url', 'size', 'sha256', 'sig'],
]

const changes = fc.array(
  fc.record({
    field: fc.constantFrom(...FIELDS, ...MORE_FIELDS),
    value: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(undefined, ...VALUES) },
      { weight: 1, arbitrary: fc.string() },
    ),
  }),
  { maxLength: 2 },
)

/** The same in every run. */
const draw = <T>(one: fc.Arbitrary<T>, numRuns: number) => fc.sample(one, { numRuns, seed: 20_261_120 })

function seedsOf(cases: AcceptanceCase[]): string[] {
  return cases.flatMap(({ event }) =>
    event.type === 'frame' && event.frame?.endsWith('"}') && event.publish < 450
      ? [event.frame.slice(0, -32)]
      : [],
  )
}

/** Commands from the cases, as text up to their MAC, each with a few edits: mostly no JSON any more. */
export function mangled(cases: AcceptanceCase[], count: number): string[] {
  const seeds = seedsOf(cases)
  return draw(fc.record({ seed: fc.nat(), edits }), count).map((one) =>
    one.edits.reduce(
      (text, { at, cut, put }) => {
        const from = Math.floor(at * (text.length + 1))
        return text.slice(0, from) + put + text.slice(from + cut)
      },
      seeds[one.seed % seeds.length] ?? '',
    ),
  )
}

/** The same with a few fields changed, added or left out, in JSON that is right but written unusually. */
export function misshapen(cases: AcceptanceCase[], count: number): string[] {
  const seeds = seedsOf(cases).filter((text) => verdictOf(seal(text)) === 'command')
  return draw(fc.record({ seed: fc.nat(), changes, style: fc.nat() }), count).map((one) => {
    const command = JSON.parse(`${seeds[one.seed % seeds.length]}}`)
    for (const { field, value } of one.changes) {
      const owner = field in command ? command : Object(command.d)
      owner[field] = value
    }
    return restyled(JSON.stringify(command), one.style).slice(0, -1)
  })
}

/** The same JSON with some letters of its strings as escapes, and spaces between its tokens. */
function restyled(json: string, style: number): string {
  let inString = false
  return [...json].reduce((text, letter, index) => {
    const isEscaped = text.endsWith('\\') && !text.endsWith('\\\\')
    if (letter === '"' && !isEscaped) inString = !inString
    const chosen = ((style >>> (index % 31)) & 7) === 7
    if (chosen && inString && !isEscaped && /[a-zA-Z0-9 -]/.test(letter) && !/\\u[0-9a-f]{0,3}$/.test(text))
      return `${text}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
    return chosen && !inString && /[,:[{]/.test(letter) ? `${text}${letter} \n` : text + letter
  }, '')
}

/**
 * Whether both sides are bound to read a text alike. The C reader takes whole numbers in digits alone, which is
 * how the hub writes them, and a nesting of 32; a frame above the buffer fails before its body is looked at.
 */
export function isComparable(signed: string): boolean {
  const isPlain = !/[0-9][.eE]|-0/.test(signed.replaceAll(/"(\\.|[^"\\])*"/g, '""'))
  return isPlain && !signed.includes('['.repeat(31)) && Buffer.byteLength(signed) < 400
}

/** A text with the hub's own MAC behind it. */
export function seal(signed: string): Buffer {
  return Buffer.from(sealText(keys.down, downPrefix(SERIAL, SID), signed))
}

/** What our own reader makes of a frame. */
export function verdictOf(frame: Buffer): string {
  const opened = openFrame(keys.down, downPrefix(SERIAL, SID), frame)
  return opened.ok ? parseCommand(opened.body).kind : opened.reason
}

/** What the C device has made of it. */
export function printedVerdict(printed: Printed[]): string {
  const ignored = printed.find(({ event }) => event === 'ignored')
  if (ignored) return String(ignored.reason)
  return printed.some(({ rc }) => rc === 'unsupported') ? 'unsupported' : 'command'
}
