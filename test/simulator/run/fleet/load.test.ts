import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  averageRate,
  rateAt,
  scaledLoad,
  stageAt,
  stagedLoad,
  steadyLoad,
} from '../../../../simulator/run/fleet/pay/load.ts'

const LOAD = stagedLoad(10, [
  { name: 'ramp', from: 10, to: 30, ms: 1_000 },
  { name: 'hold', from: 30, to: 30, ms: 2_000 },
  { name: 'spike', from: 90, to: 90, ms: 500 },
])

it('has the first rate before its stages, and none after them', () => {
  expect([-1, 0, 500, 1_500, 3_200, 3_500].map((atMs) => rateAt(LOAD, atMs))).toEqual([10, 10, 20, 30, 90, 0])
  expect([-1, 0, 999, 1_000, 3_500].map((atMs) => stageAt(LOAD, atMs)?.number)).toEqual([
    ...[undefined, 1, 1, 2, undefined],
  ])
  expect(rateAt(steadyLoad(7), 1e9)).toBe(7)
})

it('is the same load at a part of its rate', () => {
  const half = scaledLoad(LOAD, 0.5)
  expect([-1, 500, 3_200].map((atMs) => rateAt(half, atMs))).toEqual([5, 10, 45])
  expect(half.ms).toBe(LOAD.ms)
})

it('asks for the same payments, however often somebody looks', () => {
  const looks = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 20 })
  fc.assert(
    fc.property(looks, (moments) => {
      const times = [0, ...moments.sort((a, b) => a - b), 5_000]
      let due = 0
      for (const [index, atMs] of times.entries()) {
        const before = times[index - 1] ?? 0
        due += (averageRate(LOAD, before, atMs) * (atMs - before)) / 1000
      }
      // 20 on average for a second, 30 for two, 90 for a half.
      expect(due).toBeCloseTo(125)
    }),
  )
})
