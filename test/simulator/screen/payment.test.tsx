import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { drawDigits } from '../../../simulator/screen/drawing/digits.ts'
import { View } from '../../../simulator/screen/view.tsx'
import { modelOf } from './model.ts'

/** A payment while its sentence sounds. */
function frameOf(columns: number, rows: number, amount: string, colour: boolean): string {
  const text = 'Đã nhận một triệu hai trăm năm mươi nghìn đồng'
  const sounding = { kind: 'sentence', n: 42, text, said: 'Đã nhận một', amount } as const
  const model = modelOf({ columns, rows }, { screen: 'payment', amount }, { colour, speaker: { sounding } })
  return renderToString(<View model={model} />, { columns })
}

describe('the amount of a payment', () => {
  it.each([
    [60, 20, '50.000', 'large'],
    [80, 24, '50.000', 'medium'],
    [120, 40, '50.000', 'big'],
    [200, 60, '50.000', 'huge'],
    [60, 20, '1.250.000', 'medium'],
    [80, 24, '1.250.000', 'small'],
    [120, 40, '1.250.000', 'medium'],
    [200, 60, '1.250.000', 'big'],
    [40, 16, '1.250.000', 'small'],
    [80, 24, '99.999.999', 'small'],
    [60, 20, '999.999.999.999', 'small'],
  ] as const)('in %i x %i, %s is drawn in %s digits, beside its sentence and the volume', (...of) => {
    const [columns, rows, amount, size] = of
    for (const colour of [false, true]) {
      const frame = frameOf(columns, rows, amount.replaceAll('.', ''), colour)
      for (const row of drawDigits(amount, size)) expect(frame).toContain(row.trimEnd())
      expect(frame).toContain(`${amount} đ`)
      expect(frame).toContain('#42 Đã nhận một')
      expect(frame).toContain('▮▮▮▮▮▮▮▮▯▯ 80%')
    }
  })

  it('stays in text where the terminal has no room for its digits', () => {
    expect(frameOf(60, 20, '9999999999999', false)).toContain('9.999.999.999.999 đ')
  })
})
