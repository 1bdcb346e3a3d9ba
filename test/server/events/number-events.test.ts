import { expect, it, onTestFinished } from 'vitest'
import { startNumbering } from '../../../server/events/number-events.ts'
import { createLog } from '../../../server/platform/log.ts'
import { unavailable } from '../../../server/storage/shared/storage-errors.ts'
import { createVirtualClock } from '../../support/clock.ts'

function world() {
  const clock = createVirtualClock()
  const state = {
    leads: true,
    waiting: 0,
    numbered: 0,
    looks: 0,
    asks: 0,
    broken: undefined as Error | undefined,
  }
  const lines: string[] = []
  const stop = startNumbering({
    events: {
      async number() {
        state.looks += 1
        if (state.broken) throw state.broken
        const now = Math.min(1_000, state.waiting)
        state.waiting -= now
        state.numbered += now
        return now
      },
    },
    async leads() {
      state.asks += 1
      return state.leads
    },
    clock,
    log: createLog('info', { write: (line) => void lines.push(line) }),
  })
  onTestFinished(stop)
  return { clock, state, lines, stop }
}

it('gives seqs ten times a second, and asks once a second whether it is to', async () => {
  const { clock, state } = world()
  await clock.wind(10_000)
  expect(state.looks).toBeGreaterThan(80)
  expect(state.looks).toBeLessThan(110)
  expect(state.asks).toBeLessThan(12)
  state.waiting = 5_500
  await clock.wind(700)
  expect(state.numbered).toBe(5_500)
})

it('leaves it to another hub, and takes over within a second', async () => {
  const { clock, state } = world()
  state.leads = false
  await clock.wind(2_000)
  const before = state.looks
  await clock.wind(10_000)
  expect(state.looks).toBe(before)
  state.leads = true
  await clock.wind(1_000)
  expect(state.looks).toBeGreaterThan(before)
})

it('says a failure once, and nothing of a storage that is away, which the sweep says', async () => {
  const { clock, state, lines } = world()
  state.broken = unavailable()
  await clock.wind(10_000)
  expect(lines).toEqual([])
  state.broken = new Error('a wrong statement')
  await clock.wind(10_000)
  expect(lines).toEqual([expect.stringContaining('a wrong statement')])
  state.broken = undefined
  await clock.wind(2_000)
  state.broken = new Error('another one')
  await clock.wind(10_000)
  expect(lines).toHaveLength(2)
})

it('goes on after a failure, and stops when asked', async () => {
  const { clock, state, stop } = world()
  state.broken = unavailable()
  await clock.wind(1_500)
  state.broken = undefined
  state.waiting = 1
  await clock.wind(1_000)
  expect(state.numbered).toBe(1)
  stop()
  const before = state.looks
  await clock.wind(10_000)
  expect(state.looks).toBe(before)
})
