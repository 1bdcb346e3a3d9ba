import { expect, it } from 'vitest'
import { startKeepingUp } from '../../../server/operate/keep-up.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

/** What has `left` parts to do; it says each time whether there may be more. */
function world(left: number, leads = true) {
  const clock = createVirtualClock(0)
  const lines: string[] = []
  const done: number[] = []
  let fails = 0
  const storage = {
    payments: {
      async sumUp(at: number) {
        if (fails > 0) {
          fails -= 1
          throw new Error('broken')
        }
        done.push(at)
        left -= 1
        return left > 0
      },
    },
    stores: { indexNames: async () => false },
  }
  const stop = startKeepingUp({
    storage: storage as unknown as Parameters<typeof startKeepingUp>[0]['storage'],
    leads: async () => leads,
    ...{ clock, log: createLog('info', { write: (line) => void lines.push(line) }) },
  })
  return { clock, done, lines, stop, fail: (times: number) => (fails = times) }
}

it('goes on at once while there is more to do, and looks every five seconds then', async () => {
  const { clock, done, stop } = world(3)
  await clock.wind(5_000)
  await clock.wind(1_000)
  expect(done).toHaveLength(3)
  await clock.wind(4_000)
  expect(done).toHaveLength(3)
  await clock.wind(5_000)
  expect(done).toHaveLength(4)
  await stop()
  await clock.wind(60_000)
  expect(done).toHaveLength(4)
})

it('does nothing while another hub leads, and goes on after a failure, which it logs once', async () => {
  const other = world(1, false)
  await other.clock.wind(60_000)
  expect(other.done).toEqual([])
  const own = world(1)
  own.fail(2)
  await own.clock.wind(60_000)
  expect(own.done.length).toBeGreaterThan(5)
  expect(own.lines).toHaveLength(1)
  await Promise.all([other.stop(), own.stop()])
})
