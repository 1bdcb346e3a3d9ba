import { expect, it, onTestFinished } from 'vitest'
import { startNumbering } from '../../../server/events/number-events.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

function world() {
  const clock = createVirtualClock()
  const state = { leads: true, waiting: 0, numbered: 0, looks: 0, asks: 0 }
  const stop = startNumbering({
    events: {
      async number() {
        state.looks += 1
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
    log: createLog('silent'),
  })
  onTestFinished(stop)
  return { clock, state, stop }
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

it('stops when asked', async () => {
  const { clock, state, stop } = world()
  await clock.wind(1_500)
  stop()
  const before = state.looks
  await clock.wind(10_000)
  expect(state.looks).toBe(before)
})
