import { expect, it } from 'vitest'
import { steadyTime } from '../../../../simulator/browser/platform/steady-time.ts'

/** 2026 on the wall, and a timer since the start. */
function device() {
  const at = { wall: 1_790_000_000_000, timer: 5_000, steps: 0 }
  const now = steadyTime(
    () => {
      at.steps += 1
    },
    { wall: () => at.wall, timer: () => at.timer },
  )
  const pass = (ms: number) => {
    at.wall += ms
    at.timer += ms
  }
  return { at, now, pass, start: now() }
}

it('begins at the wall clock and goes by the timer', () => {
  const { now, pass, start } = device()
  expect(start).toBe(1_790_000_000_000)
  pass(90_000)
  expect(now() - start).toBe(90_000)
})

it('goes on when somebody sets the clock back', () => {
  const { at, now, pass, start } = device()
  at.wall -= 3_600_000
  expect(now() - start).toBe(0)
  pass(2_000)
  expect(now() - start).toBe(2_000)
  expect(at.steps).toBe(0)
})

it('follows a sleep, in which the timer stands still, also after the clock was set back', () => {
  const { at, now, start } = device()
  at.wall -= 3_600_000
  now()
  at.wall += 600_000
  expect(now() - start).toBe(600_000)
  expect(at.steps).toBe(1)
  expect(now() - start).toBe(600_000)
  expect(at.steps).toBe(1)
})

it('does not gather the noise of two clocks, and follows a slow drift forward', () => {
  const { at, now, pass, start } = device()
  for (let reading = 0; reading < 10_000; reading += 1) {
    at.wall += reading % 2 === 0 ? 1 : -1
    expect(now() - start).toBe(0)
  }
  for (let hour = 0; hour < 20; hour += 1) {
    pass(3_600_000)
    at.wall += 180
    now()
  }
  const drift = now() - start - 20 * 3_600_000
  expect(drift).toBeGreaterThan(1_000)
  expect(drift).toBeLessThanOrEqual(20 * 180)
  expect(at.steps).toBeGreaterThan(0)
})
