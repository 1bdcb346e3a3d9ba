import { expect, it } from 'vitest'
import { watchReach } from '../../../server/cluster/reach.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

/** A hub that tries to reach PostgreSQL each second. */
function world() {
  const clock = createVirtualClock()
  const state = { reaches: true, peers: true, asked: 0 }
  const told: boolean[] = []
  const reach = watchReach({
    async isPeerReady() {
      state.asked += 1
      return state.peers
    },
    clock,
    log: createLog('silent'),
  })
  reach.onCutOff((isCutOff) => void told.push(isCutOff))
  async function pass(seconds: number) {
    for (let second = 0; second < seconds; second += 1) {
      await clock.wind(1_000)
      if (state.reaches) reach.reached()
      else await reach.missed()
    }
  }
  return { clock, state, told, reach, pass }
}

it('is cut off after ten seconds without PostgreSQL when another hub is ready, and back after five with it', async () => {
  const { state, told, pass } = world()
  await pass(60)
  state.reaches = false
  await pass(10)
  expect([state.asked, told]).toEqual([0, []])
  await pass(1)
  expect([state.asked, told]).toEqual([1, [true]])
  await pass(60)
  expect(state.asked).toBe(1)
  state.reaches = true
  await pass(5)
  expect(told).toEqual([true])
  await pass(1)
  expect(told).toEqual([true, false])
})

it('keeps its speakers while no other hub is ready, and asks every five seconds', async () => {
  const { state, told, pass } = world()
  Object.assign(state, { reaches: false, peers: false })
  await pass(21)
  expect([state.asked, told]).toEqual([3, []])
  state.peers = true
  await pass(5)
  expect(told).toEqual([true])
})

it('does not move speakers each time when PostgreSQL comes and goes', async () => {
  const { state, told, pass } = world()
  for (let round = 0; round < 10; round += 1) {
    state.reaches = false
    await pass(8)
    state.reaches = true
    await pass(1)
  }
  expect(told).toEqual([])
  state.reaches = false
  await pass(11)
  for (let round = 0; round < 10; round += 1) {
    state.reaches = true
    await pass(4)
    state.reaches = false
    await pass(1)
  }
  expect(told).toEqual([true])
})

it('is not cut off when it was stopped itself: it has not tried', async () => {
  const { clock, told, reach, pass } = world()
  await pass(3)
  await clock.wind(3_600_000)
  await reach.missed()
  await clock.wind(1_000)
  await reach.missed()
  reach.reached()
  expect(told).toEqual([])
})

it('stays when PostgreSQL answers while the other hubs are asked', async () => {
  const clock = createVirtualClock()
  const asked = Promise.withResolvers<boolean>()
  const told: boolean[] = []
  const reach = watchReach({ isPeerReady: () => asked.promise, clock, log: createLog('silent') })
  reach.onCutOff((isCutOff) => void told.push(isCutOff))
  await reach.missed()
  await clock.wind(10_000)
  const missed = reach.missed()
  reach.reached()
  asked.resolve(true)
  await missed
  expect(told).toEqual([])
})
