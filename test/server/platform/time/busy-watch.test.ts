import { expect, it } from 'vitest'
import { createBusyWatch } from '../../../../server/platform/time/busy-watch.ts'
import { createVirtualClock } from '../../../support/clock.ts'

it('tells whether the thread works almost all the time, over half a second or more', async () => {
  const clock = createVirtualClock()
  let active = 0
  const isBusy = createBusyWatch(clock, (now, before) => {
    const of = (one: typeof now) => ({ active: one?.active ?? 0, idle: one?.idle ?? 0 })
    if (!now) return { active, idle: clock.elapsed() - active, utilization: 0 }
    const spent = { active: of(now).active - of(before).active, idle: of(now).idle - of(before).idle }
    return { ...spent, utilization: spent.active / (spent.active + spent.idle) }
  })
  const works = async (ms: number, share: number) => {
    active += ms * share
    await clock.wind(ms)
    return isBusy()
  }
  expect(await works(1_000, 0.5)).toBe(false)
  expect(await works(400, 1)).toBe(false)
  expect(await works(200, 1)).toBe(true)
  expect(await works(400, 0)).toBe(true)
  expect(await works(200, 0)).toBe(false)
})
