import { expect, it } from 'vitest'
import { formatAmount } from '../../../protocol/money/amount.ts'

it.each([
  ['0', '0 đ'],
  ['999', '999 đ'],
  ['1000', '1.000 đ'],
  ['216000', '216.000 đ'],
  [9_999_999_999_999n, '9.999.999.999.999 đ'],
  [216_000, '216.000 đ'],
])('writes %s đồng as %s', (amount, text) => {
  expect(formatAmount(amount)).toBe(text)
})
