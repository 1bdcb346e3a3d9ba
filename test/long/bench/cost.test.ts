import { expect, it } from 'vitest'
import { benchCost } from '../../bench/cost.ts'

const TINY = { shops: 2, rates: [{ perSecond: 100, seconds: 0.2 }], saturated: 20, warmUp: 1, rounds: 1 }

it('measures what a payment costs a hub at a rate, beside the same hub saturated', async () => {
  const figures = await benchCost(TINY)
  const measured = new Map(figures.map((figure) => [figure.what, figure]))
  expect([...measured.keys()]).toEqual(
    expect.arrayContaining([
      'commits of a payment at 100/s',
      'callback p50 at 100/s',
      'callback p99 at 100/s',
    ]),
  )
  const commits = measured.get('commits of a payment at 100/s')
  expect(commits?.peer).toBe('the same hub saturated')
  for (const value of [commits?.value, commits?.peerValue]) expect(Number(value)).toBeGreaterThan(0)
})
