import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Histogram, RecentHistogram } from '../../../../simulator/run/fleet/model/histogram.ts'
import { KEPT_SECONDS, PerSecond } from '../../../../simulator/run/fleet/model/per-second.ts'

const times = fc.array(fc.double({ min: 0, max: 500_000, noNaN: true }), { minLength: 1, maxLength: 300 })

/** The nearest rank over all times. */
function exact(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}

describe('percentiles', () => {
  it('differ from those of the sorted times by at most 1 % or 0.1 ms, and the maximum is exact', () => {
    fc.assert(
      fc.property(times, (all) => {
        const histogram = new Histogram()
        for (const ms of all) histogram.record(ms)
        const sorted = [...all].sort((a, b) => a - b)
        const found = histogram.percentiles()
        expect(found).toMatchObject({ count: all.length, max: sorted.at(-1) })
        for (const [name, share] of [
          ['p50', 0.5],
          ['p90', 0.9],
          ['p95', 0.95],
          ['p99', 0.99],
        ] as const) {
          const right = exact(sorted, share)
          expect(Math.abs((found?.[name] ?? 0) - right)).toBeLessThanOrEqual(Math.max(0.1, right * 0.01))
        }
      }),
    )
  })

  it('of two merged histograms are those of all times', () => {
    fc.assert(
      fc.property(times, times, (some, others) => {
        const [a, b, both] = [new Histogram(), new Histogram(), new Histogram()]
        for (const ms of some) a.record(ms)
        for (const ms of others) b.record(ms)
        for (const ms of [...some, ...others]) both.record(ms)
        a.add(b)
        expect(a.percentiles()).toEqual(both.percentiles())
      }),
    )
  })

  it('are undefined before the first time', () => {
    expect(new Histogram().percentiles()).toBeUndefined()
  })

  it('of the last minute ignore older times', () => {
    const recent = new RecentHistogram()
    recent.record(1_000_000, 5_000)
    recent.record(1_045_000, 20)
    expect(recent.percentiles(1_045_000)).toMatchObject({ count: 2, max: 5_000 })
    expect(recent.percentiles(1_065_000)).toMatchObject({ count: 1, max: 20 })
    expect(recent.percentiles(1_200_000)).toBeUndefined()
    recent.record(1_200_000, 7)
    expect(recent.percentiles(1_200_000)).toMatchObject({ count: 1, max: 7 })
  })
})

describe('counts per second', () => {
  it('are those of each whole second, in any order of arrival', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(moments, (all) => {
        const counts = new PerSecond()
        for (const ms of [...all].sort((a, b) => a - b)) counts.add(ms)
        const expected = Array.from(
          { length: 60 },
          (_, index) => all.filter((ms) => Math.floor(ms / 1000) === 41 + index).length,
        )
        expect(counts.last(101_000, 60)).toEqual(expected)
      }),
    )
  })

  it('give a rate over the last five, without the current one', () => {
    const counts = new PerSecond()
    for (let ms = 10_000; ms < 20_000; ms += 100) counts.add(ms)
    expect(counts.rate(20_500)).toBe(10)
    expect(counts.rate(22_000)).toBe(6)
    expect(counts.rate(40_000)).toBe(0)
  })

  it('drop old seconds', () => {
    const counts = new PerSecond()
    counts.add(500)
    expect(counts.last((KEPT_SECONDS + 1) * 1000, 5)).toEqual([0, 0, 0, 0, 0])
  })
})
