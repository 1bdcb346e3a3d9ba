import { expect, it } from 'vitest'
import type { Figure } from '../table.ts'
import { GOAL, grown } from './figures.ts'
import { benchGrowth } from './growth.ts'
import { shopAt, shopsOf } from './seed.ts'

const partner = { clientId: 'C', clientSecret: 'S' }
const small = { dataDir: '', size: { payments: 1_000, devices: 5_000 }, partner }
const large = { dataDir: '', size: { payments: 1_000_000, devices: 100_000 }, partner }

const TINY = {
  small: { payments: 12, devices: 3 },
  large: { payments: 60, devices: 12 },
  acts: { warmUpBatches: 1, batches: 1, alone: 2 },
  starts: { rounds: 1 },
  connecting: { speakers: 3, settleMs: 0, rounds: 1 },
  played: { speakers: 2, warmUp: 1, round: 10, rounds: 1 },
  latency: { speakers: 2, rates: [100], seconds: 0.1, warmUpSeconds: 0.01, rounds: 1 },
  callbacks: { warmUp: 0.01, round: 0.1, rounds: 1 },
}

/** The test starts six hubs, each in its own process. */
const TIMEOUT_MS = 180_000

it('measures every figure for a hub with many payments and one with few', {
  timeout: TIMEOUT_MS,
}, async () => {
  const figures = await benchGrowth(TINY)
  const measured = new Map(figures.map((figure) => [figure.what.replace(', with 60 payments', ''), figure]))
  expect([...measured.keys()]).toEqual(
    expect.arrayContaining([
      'start to ready',
      'speakers connected, to 3, each welcomed',
      'live memory for each of 3 idle speakers',
      'resident memory for each of 3 idle speakers',
      'callback to stored "played", 2 speakers',
      "callback to the device's socket at 100/s, p50",
      "callback to the device's socket at 100/s, p99",
      "callback to the device's socket at 100/s, p99.9",
      'durable callbacks over all shops',
      'record a payment, CPU',
      'log a device in, CPU',
    ]),
  )
  // Memory may shrink during the test, and a small amount of CPU may be reported as 0.
  const timed = (figure: Figure) => !/memory|CPU/.test(figure.what)
  for (const figure of figures.filter(timed)) {
    expect(figure.peer).toBe('with 12')
    for (const value of [figure.value, figure.peerValue, figure.ratio])
      expect(Number.parseFloat(value), figure.what).toBeGreaterThan(0)
  }
})

it.each([
  { is: 'speed', many: 50, few: 100 },
  { is: 'cost', many: 100, few: 50 },
] as const)('calls the large file half as good by its $is', ({ is, many, few }) => {
  const word = (value: number) => `${value}`
  expect(grown({ small, large }, 'what is measured', [[many, few]], { word, is, goal: GOAL })).toEqual({
    what: 'what is measured, with 1,000,000 payments',
    peer: 'with 1,000',
    value: `${many}`,
    peerValue: `${few}`,
    ratio: '0.50',
    goal: 'at least 0.9',
  })
})

it('connects the speakers of shops from the whole file', () => {
  const indexOf = (serial: string) => Number(serial.slice('SEED-'.length))
  const indices = shopsOf(large, 5_000).map(({ serial }) => indexOf(serial))
  const tenths = new Map<number, number>()
  for (const index of new Set(indices)) {
    const tenth = Math.floor(index / 10_000)
    tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1)
  }
  expect([...tenths.values()]).toEqual(Array.from({ length: 10 }, () => 500))
  expect(() => shopsOf(small, 5_001)).toThrow('5001 shops of 5000')
})

it('visits every shop before it repeats one', () => {
  const serials = Array.from({ length: 5_000 }, (_, number) => shopAt(number, small.size).serial)
  expect(new Set(serials).size).toBe(5_000)
  expect(shopAt(5_000, small.size)).toEqual(shopAt(0, small.size))
})
