import { expect, it } from 'vitest'
import { benchSize } from '../../bench/size/size.ts'

const TINY = {
  large: { payments: 3_000, devices: 20 },
  small: { payments: 1_000, devices: 20 },
  starts: 1,
  acts: { warmUpBatches: 1, batches: 1, alone: 2, rounds: 1 },
  reads: { pages: 2, fileRows: 50, rounds: 1 },
  retention: { pages: 1, rounds: 1 },
}

it('measures acts, lists, retention, a vacuum and a start of a hub with many payments, beside few', async () => {
  const figures = await benchSize(TINY)
  const named = (what: string) => figures.find((figure) => figure.what === `${what}, with 3,000 payments`)
  for (const what of [
    'time to fill it by COPY',
    'size on the disk',
    'start of a hub to ready, time',
    'record a payment, CPU',
    'record a payment alone, time',
    'ack as played, CPU',
    'birth of a speaker, time',
    'record the payment of a bill, alone, time',
    'change a store, time',
    'vacuum of what these acts leave, time',
    'list: of a till, time',
    'events: a page of 50, time',
    'retention: a page of payments, time',
  ])
    expect(named(what), what).toMatchObject({ peer: 'with 1,000' })
  expect(named('list: of a bank that no payment has, time')?.goal).toBe('none: no index')
  expect(named('list: of a till, time')?.goal).toBe('none: the page has more rows')
  expect(
    figures.some(({ what }) =>
      /^retention: a (page of events|period, its events, for 1,000 payments), /.test(what),
    ),
  ).toBe(true)
})
