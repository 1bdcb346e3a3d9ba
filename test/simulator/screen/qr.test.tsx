import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { encodeQr, type QrMatrix } from '../../../simulator/screen/drawing/qr.ts'
import { View } from '../../../simulator/screen/view.tsx'
import { DYNAMIC_QR, modelOf, SIZES, STATIC_QR } from './model.ts'

/** Which of the two modules of a cell are ink. */
const INK: Readonly<Record<string, readonly [boolean, boolean]>> = {
  ' ': [false, false],
  '▀': [true, false],
  '▄': [false, true],
  '█': [true, true],
}

/** A frame as a camera sees it: true for dark modules, undefined for cells with other content. */
function modulesOf(frame: string, colour: boolean): (boolean | undefined)[][] {
  return frame.split('\n').flatMap((line) =>
    [0, 1].map((half) =>
      [...line.padEnd(120)].map((character) => {
        const inked = INK[character]?.[half === 0 ? 0 : 1]
        return inked === undefined ? undefined : inked === colour
      }),
    ),
  )
}

/** Whether the frame contains the matrix with a light margin of `quiet` modules. */
function holds(frame: string, matrix: QrMatrix, quiet: number, colour: boolean): boolean {
  const modules = modulesOf(frame, colour)
  const size = matrix.length + 2 * quiet
  const fits = (top: number, left: number) => {
    for (let y = 0; y < size; y += 1)
      for (let x = 0; x < size; x += 1) {
        const dark = matrix[y - quiet]?.[x - quiet] ?? false
        if (modules[top + y]?.[left + x] !== dark) return false
      }
    return true
  }
  return modules.some((row, top) => row.some((_, left) => fits(top, left)))
}

function qrFrame(size: { columns: number; rows: number }, qr: string, colour: boolean): string {
  const display = { screen: 'qr', qr, amount: '180000', bill: 'NPS6869', secondsLeft: 60 } as const
  const model = modelOf(size, display, { colour })
  return renderToString(<View model={model} />, { columns: size.columns })
}

describe('the QR on the screen, decoded from its characters', () => {
  it.each([
    ['beside the log', { columns: 120, rows: 40 }, 4],
    ['above the log', { columns: 70, rows: 60 }, 4],
    ['with the panel alone', { columns: 70, rows: 32 }, 4],
    ['in the place of the device', { columns: 90, rows: 28 }, 2],
    ['with everything else gone', { columns: 60, rows: 29 }, 4],
    ['with a narrower margin', { columns: 60, rows: 27 }, 2],
    ['in the row of the keys', { columns: 60, rows: 26 }, 2],
  ])('is correct, %s', (_, size, quiet) => {
    for (const colour of [true, false]) {
      const frame = qrFrame(size, DYNAMIC_QR, colour)
      expect(holds(frame, encodeQr(DYNAMIC_QR), quiet, colour)).toBe(true)
      expect(frame).toContain('180.000 đ')
    }
  })

  const idle = { screen: 'idle', name: 'Phở', qr: STATIC_QR } as const

  it.each([
    [{ columns: 120, rows: 40 }, false, 4],
    [{ columns: 80, rows: 24 }, false, 2],
    [{ columns: 60, rows: 20 }, true, 2],
  ])('is the shop’s static QR without a bill: %o, alone: %s', (size, zoomed, quiet) => {
    const model = modelOf(size, idle, { colour: true, ui: { zoomed } })
    const frame = renderToString(<View model={model} />, { columns: size.columns })
    expect(holds(frame, encodeQr(STATIC_QR), quiet, true)).toBe(true)
    expect(frame).toContain('Phở')
  })

  it('can be inverted without colour, for dark text on a light background', () => {
    const model = modelOf(SIZES[2], idle, { colour: false, ui: { inverted: true } })
    const frame = renderToString(<View model={model} />, { columns: 120 })
    expect(holds(frame, encodeQr(STATIC_QR), 4, true)).toBe(true)
  })

  it('is not drawn in part: the screen names the needed size or the key that helps', () => {
    const frame = qrFrame({ columns: 60, rows: 20 }, DYNAMIC_QR, true)
    expect(frame).toContain('the QR needs 49x26 or more')
    expect(frame).toContain('180.000 đ')
    expect(qrFrame({ columns: 49, rows: 26 }, DYNAMIC_QR, true)).not.toContain('the QR needs')
    expect(qrFrame({ columns: 49, rows: 25 }, DYNAMIC_QR, true)).toContain('the QR needs')
    const idleFrame = renderToString(<View model={modelOf(SIZES[0], idle)} />, { columns: 60 })
    expect(idleFrame).toContain('press z for the QR alone')
  })
})
