import { expect, it } from 'vitest'
import { plainName } from '../../../server/stores/plain-name.ts'

it.each([
  ['Phở Hà', 'pho ha'],
  ['QUÁN ĐÀO', 'quan dao'],
  ['Quán Cà Phê Sáng'.normalize('NFD'), 'quan ca phe sang'],
  ['Tạp hóa Ước Mơ', 'tap hoa uoc mo'],
  ['Bún 24/7', 'bun 24/7'],
])('%s is %s', (name, plain) => {
  expect(plainName(name)).toBe(plain)
})
