import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyLine, entriesOf } from '../../../../simulator/screen/log/entries.ts'
import {
  closeReading,
  FIRST_READING,
  type LogReading,
  markedEntry,
  openReading,
  readPress,
  stepBack,
} from '../../../../simulator/screen/log/reading.ts'
import { rowText } from '../../../../simulator/screen/log/rows.ts'
import { holds, partsOf } from '../../../../simulator/screen/log/search.ts'
import { windowLines, windowOf } from '../../../../simulator/screen/log/window.ts'
import type { FeedItem } from '../../../../simulator/speaker/feed.ts'
import { packetOf, SIXTY } from '../model.ts'

const AREA = { columns: 40, rows: 10 }

const telemetry = (atMs = 0): FeedItem => ({
  ...packetOf('out', '{}'),
  atMs,
  kind: 'packet',
  note: { direction: 'out', packet: 'publish', message: { topic: 'telemetry', bytes: 90, frame: '{}' } },
})
const vitals: FeedItem = { atMs: 0, kind: 'event', event: { event: 'vitals', battery: 90, signal: -60 } }
const spoken = (text: string): FeedItem => ({
  atMs: 0,
  kind: 'event',
  event: { event: 'broken', reason: text },
})

function press(reading: LogReading, log: readonly FeedItem[], ...presses: string[]): LogReading {
  return presses.reduce((now, one) => readPress(now, one, { log, area: AREA }) ?? now, reading)
}

function open(log: readonly FeedItem[], ...presses: string[]): LogReading {
  return press(openReading(FIRST_READING, { log, area: AREA }), log, ...presses)
}

function seen(reading: LogReading, log: readonly FeedItem[], area = AREA): string[] {
  const entries = entriesOf(log, reading)
  return windowLines(entries, windowOf(entries, log, reading, area), area).map(({ text }) => text.trim())
}

function markedText(reading: LogReading, log: readonly FeedItem[]): string | undefined {
  const entry = markedEntry(reading, log)
  return entry && rowText(entry.row)
}

describe('reading the log', () => {
  it('begins at the newest line; keys move through it and stop at both ends', () => {
    const at = (...presses: string[]) => markedText(open(SIXTY, ...presses), SIXTY)
    expect(at()).toBe('played #59')
    expect(at('up', 'up')).toBe('played #57')
    expect(at('page up')).toBe('played #50')
    expect(at('home')).toBe('played #0')
    expect(at('home', 'up', 'page up')).toBe('played #0')
    expect(at('home', 'down')).toBe('played #1')
    expect(at('home', 'end')).toBe('played #59')
    expect(at('home', ...Array.from({ length: 20 }, () => 'page down'))).toBe('played #59')
  })

  it('is not moved by new lines, until End follows them', () => {
    const reading = open(SIXTY.slice(0, 40), 'up', 'up')
    const before = seen(reading, SIXTY.slice(0, 40))
    expect(before).toEqual(SIXTY.slice(30, 40).map((_, index) => `played #${30 + index}`))
    expect(seen(reading, SIXTY)).toEqual(before)
    expect(seen(press(reading, SIXTY, 'end'), SIXTY).at(-1)).toBe('played #59')
    expect(press(reading, SIXTY, 'end').at).toBeUndefined()
    expect(closeReading(reading)).toEqual(FIRST_READING)
  })

  it('has the marked line in sight after any keys, whatever arrives or goes', () => {
    const keys = fc.constantFrom('up', 'down', 'page up', 'page down', 'home', 'end', 'v', 't', 'n', 'N')
    const items = fc.array(
      fc.oneof(
        fc.constant(vitals),
        fc.constantFrom(...SIXTY),
        fc.nat(30).map((words) => spoken('a word '.repeat(words))),
        fc.nat(9).map((n) => packetOf('in', '{}', { t: 'announce', n })),
        fc.nat(9).map((n) => telemetry(n)),
      ),
      { maxLength: 60 },
    )
    const steps = fc.array(
      fc.record({ keys: fc.array(keys, { maxLength: 6 }), arrive: items, go: fc.nat(20) }),
      {
        maxLength: 6,
      },
    )
    const areas = fc.record({
      columns: fc.integer({ min: 24, max: 60 }),
      rows: fc.integer({ min: 1, max: 12 }),
    })
    fc.assert(
      fc.property(steps, areas, fc.constantFrom('', 'word', '9'), (given, area, search) => {
        let reading: LogReading = { ...FIRST_READING, search }
        let log: FeedItem[] = []
        for (const step of given) {
          log = [...log, ...step.arrive.map((item) => ({ ...item }))].slice(step.go)
          for (const key of step.keys) reading = readPress(reading, key, { log, area }) ?? reading
          const entries = entriesOf(log, reading)
          const window = windowOf(entries, log, reading, area)
          const lines = windowLines(entries, window, area)
          expect(lines.length).toBeLessThanOrEqual(area.rows)
          if (entries.length === 0) continue
          expect(lines.some(({ entry }) => entry === window.marked)).toBe(true)
          const all = entries.reduce((sum, _, index) => sum + heightOf(index), 0)
          function heightOf(index: number) {
            return windowLines(
              entries,
              { from: index, to: index + 1, marked: index },
              { ...area, rows: 1000 },
            ).filter(({ entry }) => entry === index).length
          }
          // No row is wasted while there are lines above.
          if (all >= area.rows && window.to === entries.length) expect(lines.length).toBe(area.rows)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('shows the end of the line above rather than an empty row', () => {
    const log = [spoken('one two three four five six seven eight'), ...SIXTY.slice(0, 3)]
    expect(seen(FIRST_READING, log, { columns: 28, rows: 4 })).toHaveLength(4)
  })
})

describe('telemetry', () => {
  const log = [...SIXTY.slice(0, 1), vitals, telemetry(), telemetry(), ...SIXTY.slice(1, 2), telemetry()]

  it('is one line with its count between other lines, until it is unfolded', () => {
    expect(entriesOf(log, FIRST_READING).map(({ row }) => rowText(row))).toEqual([
      ...['played #0', 'telemetry ×3', 'played #1', 'telemetry 90 B'],
    ])
    expect(entriesOf(log, { ...FIRST_READING, unfolded: true })).toHaveLength(6)
    expect(open(log, 't').unfolded).toBe(true)
  })

  it('keeps its mark while more of it arrives', () => {
    const reading = open(log.slice(0, 3), 'up', 'down')
    expect(markedText(reading, log)).toBe('telemetry ×3')
  })
})

describe('search', () => {
  const log = [
    spoken('Đã nhận năm mươi nghìn đồng'),
    ...SIXTY.slice(0, 20),
    spoken('Đã nhận bảy nghìn'),
    ...SIXTY.slice(20),
  ]

  it('finds in any case and without accents, and keeps every place', () => {
    expect(holds('Đã nhận năm mươi', 'NAM MUOI')).toBe(true)
    expect(holds('5\u00a0đ', '5 đ')).toBe(true)
    expect(holds('anything', '')).toBe(false)
    expect(partsOf('Đã nhận năm', 'nhan')).toEqual([
      { text: 'Đã ', isMatch: false },
      { text: 'nhận', isMatch: true },
      { text: ' năm', isMatch: false },
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ maxLength: 3 }), (text, query) => {
        const parts = partsOf(text, query)
        expect(parts.map((part) => part.text).join('')).toBe(text)
        expect(parts.some(({ isMatch }) => isMatch)).toBe(holds(text, query))
      }),
    )
  })

  it('marks the newest match while it is typed; n and N go on and around', () => {
    const found = open(log, '/', ...'nghin')
    expect(markedText(found, log)).toContain('bảy')
    const kept = press(found, log, 'return')
    expect(kept.typing).toBeUndefined()
    const at = (...presses: string[]) => markedText(press(kept, log, ...presses), log)
    expect(at('n')).toContain('năm mươi')
    expect(at('n', 'n')).toContain('bảy')
    expect(at('N')).toContain('năm mươi')
    expect(at('n', 'N')).toContain('bảy')
  })

  it('is typed: backspace erases, Esc brings back what was, a long paste is cut', () => {
    const typed = open(log, '/', 'a', 'b', 'backspace', 'up', 'c')
    expect(typed.search).toBe('ac')
    const kept = press(typed, log, 'return')
    expect(press(kept, log, '/', 'x', 'escape').search).toBe('ac')
    expect(open(log, '/', ...'x'.repeat(200)).search).toHaveLength(64)
    expect(open(log, '/', 'a', '\u0306').search).toBe('ă')
  })

  it('leaves only the lines with a text; Esc undoes search, text and at last the reading', () => {
    const only = open(log, '&', ...'played #1', 'return')
    expect(entriesOf(log, only)).toHaveLength(11)
    const both = press(only, log, '/', '#', '1', 'return')
    const back = stepBack(both)
    expect(back).toMatchObject({ search: '', only: 'played #1' })
    expect(back && stepBack(back)).toMatchObject({ only: '' })
    expect(stepBack(FIRST_READING)).toBeUndefined()
  })
})

it('copies a line with its time, sign and whole text, without control characters', () => {
  const [entry] = entriesOf(
    [{ ...spoken('a\u001b]52;c;b'), atMs: new Date(2026, 0, 2, 3, 4, 5).getTime() }],
    FIRST_READING,
  )
  expect(entry && copyLine(entry)).toBe('03:04:05 • broken: a␛]52;c;b')
})
