import { expect, it } from 'vitest'
import { createConnectLimit } from '../../../server/mqtt/connect-limit.ts'
import { createVirtualClock } from '../../support/clock.ts'

it('lets ten seconds of the rate in at once, and each network has its own share', async () => {
  const clock = createVirtualClock()
  const mayConnect = createConnectLimit(clock, 3)
  const letIn = (address: string) =>
    Array.from({ length: 50 }, () => mayConnect(address)).filter(Boolean).length
  expect(['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.2', '2001:db8:0:1::1'].map(letIn)).toEqual([30, 0, 30, 30])
  await clock.wind(1_000)
  expect(letIn('10.0.0.1')).toBe(3)
})
