import { expect, it, onTestFinished } from 'vitest'
import { startNumbering } from '../../../server/events/number-events.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

/** A hub whose steps take `stepMs` each. */
function world({ stepMs = 0 } = {}) {
  const clock = createVirtualClock()
  const state = { leads: true, waiting: 0, numbered: 0, looks: 0, asks: 0 }
  const stop = startNumbering({
    events: {
      async number(most) {
        state.looks += 1
        if (stepMs > 0) await new Promise<void>((resolve) => void clock.after(stepMs, resolve))
        const now = Math.min(most, state.waiting)
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

it('looks ten times a second while there is little, and asks once a second whether it is to', async () => {
  const { clock, state } = world()
  await clock.wind(10_000)
  expect(state.looks).toBeGreaterThan(80)
  expect(state.looks).toBeLessThan(110)
  expect(state.asks).toBeLessThan(12)
  state.waiting = 5_500
  await clock.wind(200)
  expect(state.numbered).toBe(5_500)
})

it('keeps up with 20,000 a second: it steps again at once after a full step, and never lets 250 ms of events wait', async () => {
  // Twice what a step takes on two cores.
  const { clock, state } = world({ stepMs: 20 })
  const perSecond = 20_000
  let mostWaiting = 0
  for (let ms = 0; ms < 10_000; ms += 10) {
    state.waiting += perSecond / 100
    await clock.wind(10)
    mostWaiting = Math.max(mostWaiting, state.waiting)
  }
  expect(mostWaiting).toBeLessThan(perSecond / 4)
  expect(state.looks).toBeLessThan(250)
  await clock.wind(250)
  expect(state.numbered).toBe(10 * perSecond)
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
