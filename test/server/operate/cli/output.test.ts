import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  cut,
  describeTrail,
  done,
  fields,
  linewise,
  print,
  printable,
  refused,
  table,
  wrapped,
} from '../../../../server/operate/cli/output.ts'
import { ago } from '../../../../server/operate/instant.ts'

const isTTY = process.stdout.isTTY

beforeEach(() => {
  process.stdout.isTTY = true
})

afterEach(() => {
  vi.restoreAllMocks()
  process.stdout.isTTY = isTTY
  process.exitCode = undefined
})

/** The output on a terminal. */
function shown(outcome: Parameters<typeof print>[0], asJson = false) {
  const [out, err] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockClear().mockReturnValue(true),
  )
  print(outcome, asJson)
  const text = (spy: typeof out) => spy?.mock.calls.map(([written]) => written).join('')
  return { out: text(out), err: text(err) }
}

it('prints the sentence of a success or a failure on a terminal', () => {
  expect(shown(done({ made: 1 }, 'It is made.'))).toEqual({ out: 'It is made.\n', err: '' })
  expect(shown(linewise(done([{ made: 1 }], 'It is made.')))).toEqual({ out: 'It is made.\n', err: '' })
  expect(shown(refused({ made: 0 }, 'It is not made.'))).toEqual({ out: '', err: 'It is not made.\n' })
})

it('prints a drawing as it is below the sentence on a terminal, and never in JSON', () => {
  const outcome = { ...done({ made: 1 }, 'It is made.'), drawing: '\u001b[7m▀\u001b[0m' }
  expect(shown(outcome)).toEqual({ out: 'It is made.\n\u001b[7m▀\u001b[0m\n', err: '' })
  expect(shown(outcome, true)).toEqual({ out: '{"made":1}\n', err: '' })
})

it('prints the finished items on a terminal when one fails, because a key is shown only once', () => {
  const keys = [{ key: 'K1' }, { key: 'K2' }]
  expect(shown(linewise(refused(keys, '2 of 3 are made.')))).toEqual({
    out: '{"key":"K1"}\n{"key":"K2"}\n',
    err: '2 of 3 are made.\n',
  })
})

/** Characters that a terminal obeys, or that nobody sees. */
const HARMFUL = [
  ...'\u0000\u0007\b\t\n\r\u001b\u007f\u0080\u0085\u009b\u009d\u009f',
  ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c',
  ...'\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\ud800\u{e0041}',
]

it.each(HARMFUL)('writes out what would act on the terminal or hide: %j', (character) => {
  const hostile = `A${character}B`
  const printed = [
    printable(hostile),
    table(['MODEL'], [[hostile]], 'none').split('\n')[1],
    fields({ model: hostile }).trim().split('  ')[1],
    cut(hostile, 40),
  ]
  for (const text of printed) expect(text).toMatch(/^A(\\u[0-9a-f]{4}){1,2}B$/)
  const trail = describeTrail({ stage: 'failed', times: {}, reason: hostile })
  expect(trail).toMatch(/^failed \(A(\\u[0-9a-f]{4}){1,2}B\)$/)
})

it.each(HARMFUL.filter((character) => character !== '\n'))(
  'writes it out in every sentence and in JSON, which reads it back: %j',
  (character) => {
    const hostile = `A${character}B`
    for (const make of [done, refused]) {
      const { out, err } = shown(make({}, `It is ${hostile}.\nIt is here.`))
      expect(`${out}${err}`).toMatch(/^It is A(\\u[0-9a-f]{4}){1,2}B\.\nIt is here\.\n$/)
    }
    const { out = '' } = shown(done({ model: hostile }, ''), true)
    expect(out.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(out)).toEqual({ model: hostile })
  },
)

it('prints names as they are', () => {
  for (const name of ['Quán Cà Phê Sáng', 'Phở 24/7 “Hà”', '茶 & co', 'C:\\temp', '🍜'])
    expect(printable(name)).toBe(name)
})

it.each([
  [0, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [7_199_000, '1h'],
  [49 * 3_600_000, '2d'],
  [-5_000, '0s'],
])('says how long ago %i ms are: %s', (ms, text) => {
  expect(ago(1_000_000_000 - ms, 1_000_000_000)).toBe(text)
})

it('cuts a text with a sign that it is longer', () => {
  expect(cut('sbc_0123456789', 8)).toBe('sbc_012…')
  expect(cut('sbc_0123', 8)).toBe('sbc_0123')
})

it('tells the stages of an announcement, each by how much later it was', () => {
  const at = Date.parse('2026-11-22T11:55:00.000Z')
  const times = { queued: at, sent: at + 10, failed: at + 2_300 }
  expect(describeTrail({ stage: 'failed', times, reason: 'audio_failed' })).toBe(
    'queued 2026-11-22 11:55:00+00:00, sent +0.0s, failed +2.3s (audio_failed)',
  )
})

it('breaks a sentence into lines of 80 columns, between its words', () => {
  const sentence = `It ${'failed to play '.repeat(20)}.`
  const lines = wrapped(sentence).split('\n')
  for (const line of lines) expect(line).toMatch(/^ {2}\S.{0,76}$/)
  expect(lines.map((line) => line.trim()).join(' ')).toBe(sentence)
  expect(wrapped('It is offline.')).toBe('  It is offline.')
})
