import fc from 'fast-check'
import { renderToString } from 'ink'
import { render } from 'ink-testing-library'
import { expect, it } from 'vitest'
import { clusterActionOf } from '../../../../../simulator/run/cluster/view/keys.ts'
import { layoutOf } from '../../../../../simulator/run/cluster/view/layout.ts'
import type { ClusterModel } from '../../../../../simulator/run/cluster/view/model.ts'
import { ClusterView } from '../../../../../simulator/run/cluster/view/view.tsx'
import { cellsOf } from '../../../../../simulator/screen/drawing/text.ts'

const HUB = { state: 'up', forS: 5, speakers: 66, callbacksPerS: 6.6, history: Array(80).fill(3) } as const

function model(columns: number, rows: number, change: Partial<ClusterModel> = {}): ClusterModel {
  return {
    ...{ columns, rows, colour: false, elapsedS: 72, status: '20 payments a second', chosen: 1 },
    figures: { paid: 12345, heard: 12340, missed: 3, underWay: 2, lost: 0, doubled: 0, unanswered: 0 },
    hubs: [HUB, { ...HUB, state: 'no database' }, { ...HUB, state: 'draining', speakers: 1 }],
    balancer: { up: 2, ready: 1 },
    database: { state: 'up', forS: 65 },
    speakers: Array.from({ length: 200 }, (_, index) => ({ hub: index % 3, isSpeaking: index % 2 === 0 })),
    log: Array.from({ length: 50 }, (_, atS) => ({ atS, text: `Line ${atS} of the log ${'x '.repeat(60)}` })),
    ...change,
  }
}

function draw(drawn: ClusterModel): string[] {
  const { lastFrame, unmount } = render(<ClusterView model={drawn} />)
  const frame = lastFrame() ?? ''
  unmount()
  return frame.split('\n')
}

it.each([
  [120, 40],
  [80, 24],
  [60, 20],
  [40, 12],
])('shows hubs, ledger, log and all keys on %s x %s', (columns, rows) => {
  const drawn = model(columns, rows)
  const lines = draw(drawn)
  // The library draws 100 columns; a wider row is cut there.
  for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(columns)
  expect(lines.length).toBeLessThanOrEqual(rows)
  const layout = layoutOf(drawn)
  const text = lines.join('\n')
  for (const word of ['lost', 'doubled', 'speakers', 'PostgreSQL']) expect(text).toContain(word)
  expect(layout.logRows).toBeGreaterThan(0)
  expect(layout.footer.join(' ')).toMatch(/^1 2 3 .* q end$/)
  for (const line of layout.footer) expect(cellsOf(line)).toBeLessThanOrEqual(columns)
})

it('draws nothing outside the terminal, at any size', () => {
  const hub = fc.record({
    state: fc.constantFrom('starting', 'up', 'frozen', 'draining', 'dead', 'no database'),
    ...{
      forS: fc.nat(100_000),
      speakers: fc.nat(1_000),
      callbacksPerS: fc.nat(9_999),
      history: fc.constant(HUB.history),
    },
  })
  const given = fc.record({
    ...{ columns: fc.integer({ min: 40, max: 220 }), rows: fc.integer({ min: 12, max: 70 }) },
    ...{ hubs: fc.tuple(hub, hub, hub), figure: fc.constantFrom(0, 7, 1_234_567), speakers: fc.nat(1_000) },
  })
  fc.assert(
    fc.property(given, ({ columns, rows, hubs, figure, speakers }) => {
      const figures = {
        paid: figure,
        heard: figure,
        missed: figure,
        underWay: figure,
        lost: figure,
        doubled: 0,
        unanswered: figure,
      }
      const drawn = model(columns, rows, {
        ...{ hubs, figures, status: 'PostgreSQL starts '.repeat(12) },
        speakers: Array.from({ length: speakers }, (_, index) => ({
          hub: index % 4 === 3 ? undefined : index % 4,
          isSpeaking: false,
        })),
      })
      const lines = renderToString(<ClusterView model={drawn} />, { columns }).split('\n')
      expect(lines.length).toBeLessThanOrEqual(rows)
      for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(columns)
    }),
    { numRuns: 12 },
  )
})

it('draws a mark for each speaker: its shape is the hub, filled while it speaks, a dot when it is away', () => {
  const speakers = [
    { hub: 0, isSpeaking: false },
    { hub: 1, isSpeaking: true },
    { hub: 2, isSpeaking: false },
    { hub: undefined, isSpeaking: false },
  ]
  expect(draw(model(80, 24, { speakers }))).toContain('○ ◆ △ ·')
})

it('marks a lost payment with another sign', () => {
  expect(draw(model(80, 24)).join('\n')).toMatch(/(?<!✓ )\blost {3,}doubled/)
  const figures = { paid: 9, heard: 8, missed: 0, underWay: 0, lost: 1, doubled: 0, unanswered: 0 }
  expect(draw(model(80, 24, { figures })).join('\n')).toMatch(/✕ lost +doubled/)
})

it('shows figures without room for large digits as text', () => {
  const { ledger, restOfLedger } = layoutOf(model(60, 20))
  expect(ledger.figures.map(({ name }) => name)).toEqual(['paid', 'heard', 'lost', 'doubled'])
  expect(restOfLedger).toBe('3 missed · 2 under way')
})

it('knows its keys, and leaves at once at Ctrl+C', () => {
  expect(clusterActionOf('2', {})).toEqual({ do: 'choose', hub: 1 })
  expect(clusterActionOf(' ', {})).toEqual({ do: 'pay' })
  expect(clusterActionOf('c', { ctrl: true })).toEqual({ do: 'leave' })
  expect(clusterActionOf('k', { ctrl: true })).toBeUndefined()
  expect(clusterActionOf('x', {})).toBeUndefined()
})
