import { expect, it } from 'vitest'
import { createDatabaseClock } from '../../../../server/cluster/postgres/database-clock.ts'
import { createVirtualClock, settle } from '../../../support/clock.ts'

/** PostgreSQL's time at the start of a test. */
const START = Date.parse('2026-11-20T09:00:00.000Z')

/** A hub on a machine with a clock of its own, and PostgreSQL. */
function world() {
  const machine = createVirtualClock()
  const state = { database: START, isReachable: true, samples: 0 }
  const clock = createDatabaseClock(machine, async () => {
    state.samples += 1
    if (!state.isReachable) throw new Error('unreachable')
    sample()
  })
  /** `there` and `back` are the times of the ways to PostgreSQL and back. */
  function sample(there = 0, back = 0) {
    const now = machine.elapsed()
    clock.add(now - there - back, now, state.database + now - back)
  }
  return { machine, clock, state, sample, databaseNow: () => state.database + machine.elapsed() }
}

it("is the machine's clock before the first sample, and PostgreSQL's from then on", async () => {
  const { machine, clock, sample, databaseNow } = world()
  expect(clock.now()).toBe(machine.now())
  sample()
  await machine.wind(1_234)
  expect(clock.now()).toBe(databaseNow())
  expect(clock.elapsed()).toBe(machine.elapsed())
  expect(clock.databaseAheadMs()).toBeCloseTo(databaseNow() - machine.now(), -1)
  // Somebody sets the clock of the machine.
  machine.set(-3_600_000)
  expect(clock.now()).toBe(databaseNow())
})

it('goes by the shortest round trip of the last ten samples', async () => {
  const { machine, clock, sample, databaseNow } = world()
  await machine.wind(10_000)
  sample(800, 0)
  expect(clock.now()).toBe(databaseNow() + 400)
  sample(6, 0)
  expect(clock.now()).toBe(databaseNow() + 3)
  for (let samples = 0; samples < 9; samples += 1) sample(0, 100)
  expect(clock.now()).toBe(databaseNow() + 3)
  sample(0, 100)
  expect(clock.now()).toBe(databaseNow() - 50)
})

it.each([-3_600_000, -10_000, 10_000, 3_600_000])(
  "follows PostgreSQL's clock when it is set by %i ms",
  (byMs) => {
    const { clock, state, sample, databaseNow } = world()
    sample(2, 2)
    state.database += byMs
    sample(300, 0)
    expect(clock.now()).toBe(databaseNow() + 150)
  },
)

it('lets a timer wait for a sample when the last one is older than two seconds', async () => {
  const { machine, clock, state, sample, databaseNow } = world()
  sample()
  const seen: number[][] = []
  const look = () => void seen.push([clock.now(), databaseNow(), state.samples])
  clock.after(2_000, look)
  clock.after(2_001, look)
  clock.after(2_002, look)
  await machine.wind(2_000)
  expect(seen).toEqual([[databaseNow(), databaseNow(), 0]])
  // The machine was asleep: its monotonic clock stood still.
  state.database += 600_000
  await machine.wind(2)
  expect(seen.slice(1)).toEqual([
    [databaseNow() - 1, databaseNow() - 1, 1],
    [databaseNow(), databaseNow(), 1],
  ])
})

it('sees by the clock of the machine that it was asleep', async () => {
  const { machine, clock, state, sample, databaseNow } = world()
  sample()
  const seen: number[] = []
  clock.after(100, () => void seen.push(clock.now()))
  state.database += 600_000
  machine.set(600_000)
  await machine.wind(100)
  expect(seen).toEqual([databaseNow()])
})

it('acts without a sample when PostgreSQL does not answer', async () => {
  const { machine, clock, state } = world()
  state.isReachable = false
  const acts: string[] = []
  clock.after(1, () => void acts.push('first'))
  const cancel = clock.after(2, () => void acts.push('cancelled'))
  cancel()
  await machine.wind(2)
  expect(acts).toEqual(['first'])
})

it('cancels a timer that waits for a sample', async () => {
  const machine = createVirtualClock()
  const asked = Promise.withResolvers<void>()
  const clock = createDatabaseClock(machine, () => asked.promise)
  const acts: string[] = []
  const cancel = clock.after(1, () => void acts.push('cancelled'))
  await machine.wind(1)
  cancel()
  asked.resolve()
  await settle()
  expect(acts).toEqual([])
})

it('says when it can be relied on again after this machine was stopped', async () => {
  const { machine, clock, state, sample, databaseNow } = world()
  sample()
  expect(clock.fresh()).toBeUndefined()
  // The machine was asleep.
  state.database += 600_000
  machine.set(600_000)
  await clock.fresh()
  expect(clock.now()).toBe(databaseNow())
  expect(clock.fresh()).toBeUndefined()
  state.isReachable = false
  await machine.wind(2_001)
  await clock.fresh()
  expect(clock.now()).toBe(databaseNow())
})

it("tells a step back of PostgreSQL's clock from a machine that slept, and from a clock of it that was set", async () => {
  const { machine, clock, state, sample, databaseNow } = world()
  expect(clock.expectedAtLeast()).toBe(Number.NEGATIVE_INFINITY)
  sample()
  const isBehind = () => clock.expectedAtLeast() - databaseNow() > 3_000
  for (const byMs of [600_000, -600_000]) {
    machine.set(byMs)
    expect(isBehind()).toBe(false)
    sample()
  }
  state.database += 600_000
  expect(isBehind()).toBe(false)
  sample()
  state.database -= 5_000
  expect(isBehind()).toBe(true)
})
