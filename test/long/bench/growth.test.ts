import { expect, it } from 'vitest'
import { benchGrowth } from '../../bench/growth/growth.ts'
import type { Figure } from '../../bench/parts/table.ts'

const TINY = {
  small: { payments: 12, devices: 3 },
  large: { payments: 60, devices: 12 },
  acts: { warmUpBatches: 1, batches: 1, alone: 2 },
  starts: { rounds: 1 },
  connecting: { speakers: 3, settleMs: 0, rounds: 1 },
  played: { speakers: 2, warmUp: 1, round: 10, rounds: 1 },
  lists: { rounds: 1, fileRows: 50 },
  latency: { speakers: 2, rates: [100], seconds: 0.1, warmUpSeconds: 0.01, rounds: 1 },
  callbacks: { warmUp: 0.01, round: 0.1, rounds: 1 },
}

it('measures of a hub with many payments what is measured of any other, beside one with few', async () => {
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
      'of a till',
      'rows of a CSV file',
    ]),
  )
  // Memory may shrink meanwhile, and so little CPU is not told apart from none.
  const timed = (figure: Figure) => !/memory|CPU/.test(figure.what)
  for (const figure of figures.filter(timed)) {
    expect(figure.peer).toBe('with 12')
    for (const value of [figure.value, figure.peerValue, figure.ratio])
      expect(Number.parseFloat(value), figure.what).toBeGreaterThan(0)
  }
})
