import { expect, it } from 'vitest'
import { type RampState, RampWatch } from '../../../../simulator/run/fleet/run/ramp-watch.ts'

const state = (connected: number, change: Partial<RampState> = {}): RampState => ({
  ...{ speakers: 10, connected, mostConnected: connected, welcomed: connected, shops: undefined },
  ...change,
})

it('is complete when all speakers are connected at one time, and have their shops', () => {
  const ramp = new RampWatch(1_000, 100)
  ramp.look(state(9, { mostConnected: 10, welcomed: 10 }), 0)
  expect(ramp.end).toBeUndefined()
  ramp.look(state(10, { shops: { ready: 8, failed: 1 } }), 10)
  expect(ramp.end).toBeUndefined()
  ramp.look(state(10, { shops: { ready: 9, failed: 1 } }), 20)
  expect(ramp.end).toEqual({ how: 'complete', atMs: 20 })
  ramp.stop(30)
  ramp.look(state(0), 30_000)
  expect(ramp.end).toEqual({ how: 'complete', atMs: 20 })
})

it('stalls when neither speakers nor shops have become more for the patience', () => {
  const ramp = new RampWatch(1_000, 1_000)
  ramp.look(state(3), 0)
  ramp.look(state(3), 900)
  expect(ramp.stalledMs).toBe(900)
  ramp.look(state(4), 950)
  // A speaker that comes and goes is no progress.
  ramp.look(state(2, { mostConnected: 4, welcomed: 4 }), 1_500)
  ramp.look(state(4), 1_900)
  expect(ramp.end).toBeUndefined()
  ramp.look(state(4), 1_952)
  expect(ramp.end).toEqual({ how: 'stalled', atMs: 1_952 })
})

it('does not stall between two starts of a slow ramp', () => {
  const ramp = new RampWatch(1_000, 0.1)
  ramp.look(state(3), 0)
  ramp.look(state(3), 20_000)
  expect(ramp.end).toBeUndefined()
  ramp.look(state(3), 21_000)
  expect(ramp.end?.how).toBe('stalled')
})

it('says that somebody ended the run before', () => {
  const ramp = new RampWatch()
  ramp.stop(5)
  expect(ramp.end).toEqual({ how: 'stopped', atMs: 5 })
})
