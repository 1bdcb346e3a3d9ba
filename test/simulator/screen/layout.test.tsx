import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { encodeQr } from '../../../simulator/screen/drawing/qr.ts'
import { cellsOf } from '../../../simulator/screen/drawing/text.ts'
import { layoutOf, SMALLEST } from '../../../simulator/screen/layout/layout.ts'
import { FIRST_READING } from '../../../simulator/screen/log/reading.ts'
import { placementOf, qrTextOf } from '../../../simulator/screen/placement.ts'
import { View } from '../../../simulator/screen/view.tsx'
import type { ViewModel } from '../../../simulator/screen/view-model.ts'
import type { Display } from '../../../simulator/speaker/device/display.ts'
import { FAULTS } from '../../../simulator/speaker/device/state/faults.ts'
import { DYNAMIC_QR, modelOf, packetOf, SIXTY, STATIC_QR } from './model.ts'

const columnsOf = fc.integer({ min: SMALLEST.columns, max: 220 })
const rowsOf = fc.integer({ min: SMALLEST.rows, max: 70 })
/** Below the smallest size, too, where the screen says how large it must be. */
const anyRows = fc.integer({ min: 12, max: 70 })
const names = fc.constantFrom(
  'Phở',
  '奶茶店'.repeat(20),
  '🧋'.repeat(30),
  'x'.repeat(128),
  'Mây'.normalize('NFD'),
)
const bills = fc.constantFrom('B-1', 'x'.repeat(64), '單'.repeat(64))
const amounts = fc.constantFrom('1', '50000', '9999999999999')

const displays: fc.Arbitrary<Display> = fc.oneof(
  fc.constantFrom<Display[]>(
    { screen: 'off' },
    { screen: 'code', code: '048213', secondsLeft: 300 },
    { screen: 'code', code: '048213', secondsLeft: 300, amount: '9999999999999' },
    { screen: 'payment', amount: '999999999' },
    { screen: 'payment', amount: '9999999999999', alsoPaid: { amount: '50000', bill: 'x'.repeat(64) } },
    { screen: 'unregistered' },
    { screen: 'connecting' },
    { screen: 'no_network', reason: 'nothing answers' },
  ),
  fc.record({ screen: fc.constant('paid' as const), amount: amounts, bill: bills }),
  fc.record({ screen: fc.constant('missed' as const), count: fc.constantFrom(1, 999), amount: amounts }),
  fc.record({ screen: fc.constant('locked' as const), name: names }),
  fc.record({ screen: fc.constant('idle' as const), name: names, qr: fc.constantFrom('', STATIC_QR) }),
  fc.record({
    screen: fc.constant('qr' as const),
    qr: fc.constantFrom(STATIC_QR, DYNAMIC_QR, 'x'.repeat(1024)),
    amount: amounts,
    bill: bills,
    secondsLeft: fc.constant(899),
  }),
)

const sentence = 'Đã nhận chín nghìn chín trăm chín mươi chín tỷ chín trăm chín mươi chín triệu đồng'
const speakers = fc.record({
  faults: fc.constantFrom([], FAULTS.slice(0, 2), FAULTS),
  link: fc.constantFrom('welcomed' as const, 'connecting' as const, 'offline' as const),
  power: fc.boolean(),
  serial: fc.constantFrom('SPK-0001', 'X'.repeat(32)),
  shop: names,
  battery: fc.constantFrom(3, 100),
  retryInMs: fc.constantFrom(undefined, 900_000),
  waiting: fc.constantFrom(0, 12),
  sounding: fc.constantFrom(undefined, {
    kind: 'sentence' as const,
    n: 123456,
    text: sentence,
    said: sentence.slice(0, 60),
    amount: '1',
  }),
})

const log = [
  ...SIXTY.slice(0, 5),
  packetOf('in', `{"t":"profile","n":7,"d":{"name":"${'奶'.repeat(300)}"}}`, { t: 'profile', n: 7 }),
  packetOf('out', '{}', { t: 'ack', n: 123456, stage: 'failed', rc: 'display_failed', dup: true }),
]

const models: fc.Arbitrary<ViewModel> = fc
  .record({
    columns: columnsOf,
    rows: anyRows,
    display: displays,
    speaker: speakers,
    overlay: fc.constantFrom(
      'none' as const,
      'none' as const,
      'help' as const,
      'faults' as const,
      'frame' as const,
      'log' as const,
      'log help' as const,
    ),
    reading: fc.constantFrom(
      FIRST_READING,
      { ...FIRST_READING, search: 'played', at: SIXTY[2], bottom: SIXTY[4] },
      { ...FIRST_READING, only: '奶'.repeat(64), typing: { what: 'only' as const, before: '' } },
    ),
    notice: fc.constantFrom('', 'copied 1 line: '.repeat(20)),
    zoomed: fc.boolean(),
    extraLines: fc.constantFrom(undefined, ['token granted', '奶茶店'.repeat(40)]),
  })
  .map(({ columns, rows, display, overlay, zoomed, reading, notice, ...rest }) =>
    modelOf({ columns, rows }, display, { ...rest, log, ui: { overlay, zoomed, reading, notice } }),
  )

/** The device's frame is intact: no content has moved or overwritten a border. */
function expectFrame(lines: readonly string[], model: ViewModel) {
  const text = qrTextOf(model.speaker)
  const { mode, device } = placementOf(model, text === undefined ? undefined : encodeQr(text).length)
  if (mode === 'bare' || model.ui.overlay !== 'none' || model.rows < SMALLEST.rows) return
  const frame = lines.slice(0, device.area.rows)
  expect(frame.map((line) => cellAt(line, 0)).join('')).toMatch(/^╭│+╰$/)
  expect(frame.map((line) => cellAt(line, device.area.columns - 1)).join('')).toMatch(/^╮│+╯$/)
}

function cellAt(line: string, column: number): string {
  let cells = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (cells === column) return segment
    cells += cellsOf(segment)
  }
  return ''
}

describe('in every terminal from the smallest size', () => {
  it('nothing is drawn outside the terminal, for any content', () => {
    fc.assert(
      fc.property(models, (model) => {
        const frame = renderToString(<View model={model} />, { columns: model.columns })
        const lines = stripVTControlCharacters(frame).split('\n')
        expect(lines.length).toBeLessThanOrEqual(model.rows)
        for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(model.columns)
        expectFrame(lines, model)
      }),
      { numRuns: 20 },
    )
  })

  it('the parts do not overlap and stay inside', () => {
    const qrs = fc.option(fc.integer({ min: 21, max: 97 }), { nil: undefined })
    fc.assert(
      fc.property(
        columnsOf,
        rowsOf,
        displays,
        qrs,
        fc.boolean(),
        (columns, rows, display, qrModules, zoomed) => {
          const {
            mode,
            device,
            log: beside,
            qr,
            foot,
          } = layoutOf({ columns, rows, display, qrModules, zoomed })
          const { area, screen, bordered, panel } = device
          const body = rows - { keys: 1, hint: 2, none: 0 }[foot]
          const taken = area.columns + (mode === 'stacked' ? 0 : (beside?.columns ?? 0))
          expect(taken).toBe(columns)
          expect(mode === 'stacked' ? area.rows + (beside?.rows ?? 0) : area.rows).toBe(body)
          if (mode === 'bare') return
          expect(screen.rows + panel.rows + (bordered ? 4 : 2)).toBe(area.rows)
          const side = qr?.fits && qrModules !== undefined ? qrModules + 2 * qr.quiet : undefined
          expect(screen.rows).toBeGreaterThanOrEqual(side === undefined ? 7 : Math.ceil(side / 2) + 1)
          expect(screen.columns).toBeGreaterThanOrEqual(side ?? 34)
        },
      ),
    )
  })
})
