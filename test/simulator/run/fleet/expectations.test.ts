import { describe, expect, it } from 'vitest'
import { type Expected, judge, type Reached } from '../../../../simulator/run/fleet/model/expectations.ts'

/** A fleet of 100 that has reached all, changed by the test. */
function reachedBy(change: Partial<Reached> = {}, paid: Partial<NonNullable<Reached['pay']>> = {}): Reached {
  const shops = { ready: 100, waiting: 0, failed: 0, lastFailure: '' }
  const pay = { shops, asked: 500, sent: 500, heldBack: 0, withoutShop: 0, p99Ms: 480, ...paid }
  return { speakers: 100, connectedAtEnd: 100, mostConnected: 100, pay, ...change }
}

const failed = (expected: Expected, reached: Reached) =>
  judge(expected, reached).flatMap(({ ok, expect: name, says }) => (ok ? [] : [`${name}: ${says}`]))

describe('by default', () => {
  it('all that was asked for is expected, and any time to speech', () => {
    expect(judge({}, reachedBy()).map(({ expect: name, expected, ok }) => [name, expected, ok])).toEqual([
      ['connected', 100, true],
      ['shops', 100, true],
      ['rate', 95, true],
    ])
    expect(judge({}, reachedBy({ pay: undefined })).map(({ expect: name }) => name)).toEqual(['connected'])
  })

  it('a fleet that never got up fails with every reason', () => {
    const shops = { ready: 10, waiting: 88, failed: 2, lastFailure: 'no screen' }
    const reached = reachedBy(
      { connectedAtEnd: 17, mostConnected: 20 },
      { shops, sent: 15, heldBack: 485, withoutShop: 450 },
    )
    expect(failed({}, reached)).toEqual([
      'connected: 17 of 100 speakers were connected at the end, 20 at the most; --expect-connected is 100 or more',
      'shops: 10 of 100 shops were ready, 90 were missing, 2 were not registered (no screen); --expect-shops is 100 or more',
      'rate: 15 of 500 payments were made (3 %), 485 were held back, 450 of them without a shop; --expect-rate is 95 % or more',
    ])
  })
})

describe('at the limit', () => {
  it.each<[string, Expected, Reached, Expected, Reached]>([
    [
      'connected speakers',
      { connected: 90 },
      reachedBy({ connectedAtEnd: 90 }),
      { connected: 90 },
      reachedBy({ connectedAtEnd: 89 }),
    ],
    [
      'shops',
      { shops: 90 },
      reachedBy({}, { shops: { ready: 90, waiting: 10, failed: 0, lastFailure: '' } }),
      { shops: 91 },
      reachedBy({}, { shops: { ready: 90, waiting: 10, failed: 0, lastFailure: '' } }),
    ],
    ['the rate', {}, reachedBy({}, { sent: 475 }), {}, reachedBy({}, { sent: 474 })],
    ['the p99', { p99Ms: 480 }, reachedBy(), { p99Ms: 479.9 }, reachedBy()],
  ])('%s are enough, and one less is not', (_, enough, reached, tooMuch, notReached) => {
    expect(failed(enough, reached)).toEqual([])
    expect(failed(tooMuch, notReached)).toHaveLength(1)
  })
})

it('a rate that is shown rounded is judged exactly', () => {
  const [, , rate] = judge({}, reachedBy({}, { asked: 10_000, sent: 9_499 }))
  expect(rate).toMatchObject({ ok: false, reached: 94.9 })
})

it('a run in which nothing was measured fails, unless nothing was expected', () => {
  const idle = reachedBy({}, { asked: 0, sent: 0, p99Ms: undefined })
  expect(failed({ p99Ms: 500 }, idle)).toEqual([
    'rate: no payment came due; --expect-rate is 95 % or more',
    'p99: no payment was heard; --expect-p99 is 500 ms or less',
  ])
  expect(failed({ ratePercent: 0 }, idle)).toEqual([])
})
