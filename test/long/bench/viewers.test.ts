import { expect, it } from 'vitest'
import { benchViewers } from '../../bench/viewers/viewers.ts'

const TINY = { shops: 2, people: 2, warmUp: 1, perSecond: 50, seconds: 2, rounds: 3 }

it('measures callbacks while people look, beside those while others look elsewhere and while nobody looks', async () => {
  const figures = await benchViewers(TINY)
  const p99 = figures.filter(({ what }) => what.startsWith('callback p99'))
  expect(p99.map(({ peer }) => peer)).toEqual(['they look elsewhere', 'nobody looks'])
  for (const { value, peerValue, ratio } of p99) {
    expect(Number.parseFloat(value)).toBeGreaterThan(0)
    expect(Number.parseFloat(peerValue)).toBeGreaterThan(0)
    expect(Number(ratio)).toBeGreaterThan(0)
  }
  for (const { value, peerValue } of figures.filter(({ what }) => what.startsWith('95 % interval')))
    expect(Number(value)).toBeLessThanOrEqual(Number(peerValue))
})
