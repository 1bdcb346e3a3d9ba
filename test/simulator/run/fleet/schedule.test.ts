import { expect, it } from 'vitest'
import {
  type Decision,
  decide,
  endRamp,
  FIRST_SCHEDULE,
  isDone,
  isDue,
  passUntil,
  startAt,
} from '../../../../simulator/run/fleet/pay/schedule.ts'

const started = startAt(FIRST_SCHEDULE, 5_000)

it('carries a part of a payment over, whatever the length of the ticks', () => {
  let schedule = started
  let begun = 0
  for (let atMs = 5_000; atMs <= 15_000; atMs += 40)
    for (schedule = passUntil(schedule, atMs, 3); isDue(schedule, undefined); begun += 1)
      schedule = decide(schedule, 'begin')
  expect(begun).toBeGreaterThanOrEqual(29)
  expect(begun).toBeLessThanOrEqual(30)
  expect(schedule.begun).toBe(begun)
})

it.each<[Decision, object]>([
  ['begin', { begun: 1, heldBack: 0, withoutShop: 0 }],
  ['hold_back', { begun: 0, heldBack: 1, withoutShop: 0 }],
  ['no_shop', { begun: 0, heldBack: 1, withoutShop: 1 }],
])('counts a due payment once: %s', (decision, counts) => {
  const due = passUntil(started, 6_500, 1)
  expect(isDue(due, undefined)).toBe(true)
  const decided = decide(due, decision)
  expect(decided).toMatchObject({ ...counts, owed: 0.5 })
  expect(isDue(decided, undefined)).toBe(false)
})

it('is done when the requested number has begun, and what is held back does not count', () => {
  const due = passUntil(started, 15_000, 1)
  const held = decide(decide(due, 'hold_back'), 'no_shop')
  expect([isDone(held, 1), isDue(held, 1)]).toEqual([false, true])
  const begun = decide(held, 'begin')
  expect([isDone(begun, 1), isDue(begun, 1), isDue(begun, undefined)]).toEqual([true, false, true])
})

it('owes nothing for the time before its start, and keeps its counts at the end of the ramp', () => {
  expect(isDue(passUntil(started, 5_000, 1_000), undefined)).toBe(false)
  expect(endRamp(started)).toEqual({ ...started, isRamp: false })
})
