import { expect, it } from 'vitest'
import { createTokenBuckets } from '../../../server/platform/token-buckets.ts'
import { createVirtualClock } from '../../support/clock.ts'

const SIZE = { perSecond: 2, burst: 5 }

it('allows one burst at once, and then `perSecond` tokens per second', async () => {
  const clock = createVirtualClock()
  const { take } = createTokenBuckets(clock, SIZE)
  const taken = (times: number) =>
    Array.from({ length: times }, () => take('a').allowed).filter(Boolean).length
  expect(taken(8)).toBe(5)
  await clock.wind(1_000)
  expect(taken(8)).toBe(2)
  await clock.wind(60_000)
  expect(taken(8)).toBe(5)
})

it('returns the remaining tokens and the time until the next one', async () => {
  const clock = createVirtualClock()
  const { take } = createTokenBuckets(clock, SIZE)
  expect(take('a')).toEqual({ allowed: true, remaining: 4, nextInMs: 500 })
  for (let i = 0; i < 3; i += 1) take('a')
  expect(take('a')).toEqual({ allowed: true, remaining: 0, nextInMs: 500 })
  await clock.wind(200)
  expect(take('a')).toEqual({ allowed: false, remaining: 0, nextInMs: 300 })
  await clock.wind(300)
  expect(take('a').allowed).toBe(true)
})

it('has an independent bucket for each key', () => {
  const { take } = createTokenBuckets(createVirtualClock(), SIZE)
  for (let i = 0; i < 9; i += 1) take('a')
  expect(take('b')).toMatchObject({ allowed: true, remaining: 4 })
})
