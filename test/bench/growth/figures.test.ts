import { expect, it } from 'vitest'
import { GOAL, grown } from './figures.ts'
import { shopsOf } from './seed.ts'
import { shopAt } from './shop-rows.ts'

const partner = { clientId: 'C', clientSecret: 'S' }
const small = { dataDir: '', size: { payments: 1_000, devices: 5_000 }, partner }
const large = { dataDir: '', size: { payments: 1_000_000, devices: 100_000 }, partner }

it.each([
  { is: 'speed', many: 50, few: 100 },
  { is: 'cost', many: 100, few: 50 },
] as const)('calls the large file half as good by its $is', ({ is, many, few }) => {
  const word = (value: number) => `${value}`
  expect(grown({ small, large }, 'what is measured', [[many, few]], { word, is, goal: GOAL })).toEqual([
    {
      what: 'what is measured, with 1,000,000 payments',
      peer: 'with 1,000',
      value: `${many}`,
      peerValue: `${few}`,
      ratio: '0.50',
      goal: 'at least 0.9',
    },
  ])
})

it('connects the speakers of as many shops, which lie all over the file', () => {
  const indexOf = (serial: string) => Number(serial.slice('SEED-'.length))
  const indices = shopsOf(large, 5_000).map(({ serial }) => indexOf(serial))
  const tenths = new Map<number, number>()
  for (const index of new Set(indices)) {
    const tenth = Math.floor(index / 10_000)
    tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1)
  }
  expect([...tenths.values()]).toEqual(Array.from({ length: 10 }, () => 500))
  expect(() => shopsOf(small, 5_001)).toThrow('5001 shops of 5000')
})

it('goes through all shops before it comes to one again', () => {
  const serials = Array.from({ length: 5_000 }, (_, number) => shopAt(number, small.size).serial)
  expect(new Set(serials).size).toBe(5_000)
  expect(shopAt(5_000, small.size)).toEqual(shopAt(0, small.size))
})
