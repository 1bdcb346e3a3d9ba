import { expect, it } from 'vitest'
import { createPostgresBuckets } from '../../../../server/cluster/postgres/request-buckets.ts'
import { createTokenBuckets } from '../../../../server/platform/token-buckets.ts'
import { createVirtualClock, settle } from '../../../support/clock.ts'

const SIZE = { perSecond: 1, burst: 20 }
type Reply = (level: Record<string, number> | Error) => Promise<void>

function world() {
  const clock = createVirtualClock()
  const reports: { used: Record<string, number>; reply: Reply }[] = []
  /** Waits until the test replies. */
  function query<R>(_name: string, _text: string, values: readonly unknown[] = []): Promise<R[]> {
    const [keys, counts] = values as [string[], number[]]
    const { promise, resolve, reject } = Promise.withResolvers<R[]>()
    const used = Object.fromEntries(keys.map((key, index) => [key, counts[index] ?? 0]))
    async function reply(level: Record<string, number> | Error) {
      if (level instanceof Error) reject(level)
      else resolve(Object.entries(level).map(([key, tokens]) => ({ key, tokens })) as R[])
      await settle()
    }
    reports.push({ used, reply })
    return promise
  }
  const buckets = createPostgresBuckets({ query, own: createTokenBuckets(clock, SIZE), size: SIZE, clock })
  const take = (key: string, times = 1) =>
    Array.from({ length: times }, () => buckets.take(key)).filter(({ allowed }) => allowed).length
  return { clock, reports, buckets, take }
}

it('reports what several partners have taken in one statement, and nothing without requests', async () => {
  const { clock, reports, take } = world()
  await clock.wind(1_000)
  expect(reports).toEqual([])
  take('a', 3)
  take('b', 25)
  await clock.wind(50)
  expect(reports.map(({ used }) => used)).toEqual([{ a: 3, b: 20 }])
  await reports[0]?.reply({ a: 17, b: 0 })
  await clock.wind(1_000)
  expect(reports).toHaveLength(1)
})

it('goes by the level over all hubs, less what it has taken since the report', async () => {
  const { clock, reports, buckets, take } = world()
  take('a', 5)
  await clock.wind(50)
  take('a', 2)
  await reports[0]?.reply({ a: 4 })
  expect(buckets.take('a')).toMatchObject({ allowed: true, remaining: 1 })
  await clock.wind(50)
  expect(reports[1]?.used).toEqual({ a: 3 })
  await reports[1]?.reply({ a: -2 })
  expect(buckets.take('a')).toEqual({ allowed: false, remaining: 0, nextInMs: 3_000 })
  await clock.wind(3_000)
  expect(take('a', 5)).toBe(1)
})

it('has one report under way at a time', async () => {
  const { clock, reports, take } = world()
  take('a')
  await clock.wind(50)
  take('a')
  await clock.wind(10_000)
  expect(reports).toHaveLength(1)
  await reports[0]?.reply({ a: 19 })
  await clock.wind(50)
  expect(reports[1]?.used).toEqual({ a: 1 })
})

it('limits by itself while reports fail, and reports nothing twice', async () => {
  const { clock, reports, take } = world()
  expect(take('a', 25)).toBe(20)
  await clock.wind(50)
  await reports[0]?.reply(new Error('no connection'))
  await clock.wind(1_950)
  expect(take('a', 25)).toBe(2)
  await clock.wind(50)
  expect(reports[1]?.used).toEqual({ a: 2 })
})
