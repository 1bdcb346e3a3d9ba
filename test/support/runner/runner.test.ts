import { describe, expect, it } from 'vitest'
import { SEED, share } from '../seed.ts'
import { secondsOf, slowest } from './slowest.ts'

describe('the share of a sweep', () => {
  const items = Array.from({ length: 10 }, (_, index) => index)

  it('and the rest are all of it, each item once', () => {
    const { part, rest } = share(items, 3)
    expect([...part, ...rest].sort((a, b) => a - b)).toEqual(items)
    expect(part.length).toBeGreaterThanOrEqual(3)
    expect(part[0]).toBe(SEED % 3)
  })
})

it('the summary has the ten slowest, the slowest first', () => {
  const timed = Array.from({ length: 12 }, (_, index) => ({ name: `${index}`, ms: index }))
  expect(slowest(timed).map(({ ms }) => ms)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
})

it('CPU time is read behind the name of the program, whatever the name is', () => {
  const stat = '7 (node (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 1000 200 30 4 20 0 7 0 1 2 3'
  expect(secondsOf(stat)).toBe(12.34)
})
