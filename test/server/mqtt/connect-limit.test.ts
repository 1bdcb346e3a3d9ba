import { expect, it } from 'vitest'
import { createConnectLimit } from '../../../server/mqtt/connect-limit.ts'
import { createVirtualClock } from '../../support/clock.ts'

/** How many of ten seconds' worth are left to an address when another one has used up its own. */
function left(used: string, other: string): number {
  const mayConnect = createConnectLimit(createVirtualClock(), 3)
  const all = (address: string) =>
    Array.from({ length: 50 }, () => mayConnect(address)).filter(Boolean).length
  expect(all(used)).toBe(30)
  return all(other)
}

it.each([
  ['10.0.0.1', '10.0.0.2'],
  ['10.0.0.1', '::ffff:10.0.0.2'],
  ['2001:db8:0:1::1', '2001:db8:0:2::1'],
  ['::1', '2001:db8::1'],
])('%s and %s have each their own share', (one, other) => {
  expect(left(one, other)).toBe(30)
})

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '::ffff:10.0.0.1'],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
  ['2001:db8:0:1:2:3:4:5', '2001:0db8::1:0:0:0:9'],
])('%s and %s are one network', (one, other) => {
  expect(left(one, other)).toBe(0)
})

it('lets an address in again as time passes', async () => {
  const clock = createVirtualClock()
  const mayConnect = createConnectLimit(clock, 3)
  for (let i = 0; i < 40; i += 1) mayConnect('10.0.0.1')
  await clock.wind(1_000)
  expect(Array.from({ length: 9 }, () => mayConnect('10.0.0.1')).filter(Boolean)).toHaveLength(3)
})
