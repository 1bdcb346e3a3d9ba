import { expect, it } from 'vitest'
import { closeEvenly } from '../../../server/mqtt/hand-over.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

/** A turn is late by this at most. */
const STEP_MS = 50

function world(count: number) {
  const clock = createVirtualClock()
  const closed: { at: number; name: number }[] = []
  const connections = Array.from({ length: count }, (_, name) => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const one = {
      idle: true,
      isIdle: () => one.idle,
      close() {
        closed.push({ at: clock.elapsed(), name })
        one.end()
      },
      gone,
      end: resolve,
    }
    return one
  })
  const done: number[] = []
  const start = (withinMs: number) =>
    void closeEvenly(connections, clock, withinMs).then(() => done.push(clock.elapsed()))
  return { clock, closed, connections, done, start }
}

it('closes connections evenly over the time, those with nothing under way first', async () => {
  const { clock, closed, connections, done, start } = world(20)
  for (const [name, one] of connections.entries()) one.idle = name % 2 === 1
  start(30_000)
  await clock.wind(30_000)
  expect(closed.map(({ name }) => name)).toEqual([
    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
  ])
  for (const [turn, { at }] of closed.entries()) {
    expect(at).toBeGreaterThanOrEqual(turn * 1_500)
    expect(at).toBeLessThanOrEqual(turn * 1_500 + STEP_MS)
  }
  expect(done).toEqual([closed.at(-1)?.at])
})

it('looks at each turn who has nothing under way', async () => {
  const { clock, closed, connections, start } = world(3)
  for (const one of connections) one.idle = false
  start(3_000)
  await clock.wind(500)
  expect(closed).toEqual([{ at: 0, name: 0 }])
  Object.assign(connections[2] ?? {}, { idle: true })
  await clock.wind(3_000)
  expect(closed.map(({ name }) => name)).toEqual([0, 2, 1])
})

it('closes none twice, and ends sooner when the others leave by themselves', async () => {
  const { clock, closed, connections, done, start } = world(10)
  start(10_000)
  await clock.wind(1_500)
  for (const one of connections) one.end()
  await clock.wind(STEP_MS)
  expect(closed.map(({ name }) => name)).toEqual([0, 1])
  expect(done).toEqual([1_550])
})

it('closes thousands in the time, and never many at once', async () => {
  const { clock, closed, done, start } = world(5_000)
  start(10_000)
  await clock.wind(10_000)
  expect(closed).toHaveLength(5_000)
  const together = Map.groupBy(closed, ({ at }) => at)
  expect(Math.max(...[...together.values()].map(({ length }) => length))).toBeLessThanOrEqual(25)
  expect(done).toHaveLength(1)
})

it('closes all at once without a time, and none is none', async () => {
  const { closed, done, start } = world(20)
  start(0)
  await settle()
  expect(closed).toHaveLength(20)
  expect(done).toEqual([0])
  const empty = world(0)
  empty.start(30_000)
  await settle()
  expect(empty.done).toEqual([0])
})

it('ends when the last connection has ended, not when it was told to', async () => {
  const { clock, connections, done, start } = world(2)
  for (const one of connections) one.close = () => undefined
  start(1_000)
  await clock.wind(2_000)
  expect(done).toEqual([])
  for (const one of connections) one.end()
  await settle()
  expect(done).toEqual([2_000])
})

it('closes no more once it shall not go on', async () => {
  const { clock, closed, connections } = world(10)
  let goesOn = true
  const ended = closeEvenly(connections, clock, 10_000, () => goesOn)
  await clock.wind(2_500)
  goesOn = false
  await clock.wind(STEP_MS)
  await ended
  await clock.wind(20_000)
  expect(closed).toHaveLength(3)
})
