import { describe, expect, it } from 'vitest'
import { UNDER_WAY } from '../../../../server/webhooks/send/endpoint/concurrency-limit.ts'
import { begin, createWorld, type Reply } from '../../../support/webhooks/world.ts'

/** Events per second that four requests at a time bring to an endpoint that answers after 50 ms. */
const OF_FOUR = 80

/** A hub with more events for the webhook `a` than it sends. */
async function busy(answer: (n: number) => Reply, events = 8_000) {
  const started = await begin(answer)
  for (let n = 0; n < events; n += 1) started.tell()
  const { world, clock } = started
  return {
    ...started,
    /** Requests that begin within a time. */
    async begun(ms: number): Promise<number> {
      const before = world.sent.length
      await clock.wind(ms)
      return world.sent.length - before
    },
  }
}

describe('an endpoint that answers after 50 ms', () => {
  it('has 64 requests under way after some seconds, and gets ten times the events that four bring', async () => {
    const { world, clock, begun } = await busy(() => ({ status: 204, ms: 50 }))
    await clock.wind(200)
    expect(world.most.get('a')).toBe(UNDER_WAY.least)
    // One more a round.
    await clock.wind(1_000)
    expect(world.most.get('a')).toBeGreaterThan(15)
    expect(world.most.get('a')).toBeLessThan(30)
    await clock.wind(3_000)
    expect(await begun(3_000)).toBeGreaterThan(3 * 10 * OF_FOUR)
    expect(world.most.get('a')).toBe(UNDER_WAY.most)
  })

  it('has no more under way than it was sent at once so far', async () => {
    const { world, clock, hub, tell } = await begin(() => ({ status: 204, ms: 50 }))
    for (let round = 0; round < 100; round += 1) {
      for (let n = 0; n < 3; n += 1) tell()
      await clock.wind(200)
    }
    expect(world.sent).toHaveLength(300)
    for (let n = 0; n < 100; n += 1) tell()
    await clock.wind(200)
    expect(hub.underWay()).toBeLessThanOrEqual(UNDER_WAY.least + 2)
  })

  const failures: [string, Reply][] = [
    ['slows down to 150 ms', { status: 204, ms: 150 }],
    ['slows down to 2 s', { status: 204, ms: 2_000 }],
    ['answers 429', { status: 429, ms: 50 }],
    ['answers 503', { status: 503, ms: 50 }],
    ['answers 503 and Retry-After', { status: 503, ms: 50, retryAfterMs: 10_000 }],
    ['does not answer', 'hang'],
    ['refuses the connection', 'refused'],
  ]
  it.each(failures)('and then %s has four at most after one round', async (_, after) => {
    const { world, clock, hub, begun } = await busy(() => ({ status: 204, ms: 50 }), 2_000)
    await clock.wind(1_500)
    const before = hub.underWay()
    expect(before).toBeGreaterThan(20)
    world.answer = () => after
    const roundMs = after === 'hang' ? 15_000 : after === 'refused' ? 0 : (after.ms ?? 0)
    // What was under way is over after 50 ms, and each of its replies has begun one of the round. Eight replies tell.
    expect(await begun(50 + roundMs)).toBeLessThanOrEqual(before + 8)
    expect(hub.underWay()).toBeLessThan(UNDER_WAY.least + 8)
    expect(await begun(roundMs)).toBeLessThanOrEqual(2 * UNDER_WAY.least)
    expect(hub.underWay()).toBeLessThanOrEqual(UNDER_WAY.least)
  })

  it('and fails for a while is fast again some seconds after its circuit has closed, with no event lost', async () => {
    const { world, memory, clock, begun } = await busy(() => ({ status: 204, ms: 50 }), 3_000)
    await clock.wind(1_500)
    world.answer = () => ({ status: 503, ms: 50 })
    await clock.wind(3_000)
    world.answer = () => ({ status: 204, ms: 50 })
    await clock.wind(5_000)
    expect(await begun(1_000)).toBeGreaterThan(7 * OF_FOUR)
    await clock.wind(15_000)
    expect(memory.missing('a')).toEqual([])
  })

  it('and stays slower from then on gets as many as it then takes', async () => {
    const { world, clock, hub, begun } = await busy(() => ({ status: 204, ms: 20 }))
    await clock.wind(400)
    world.answer = () => ({ status: 204, ms: 100 })
    await clock.wind(200)
    expect(hub.underWay()).toBeLessThan(UNDER_WAY.least + 8)
    await clock.wind(3_000)
    expect(hub.underWay()).toBeGreaterThan(25)
    expect(await begun(1_000)).toBeGreaterThan(3 * OF_FOUR)
  })
})

describe('a hub that is busy', () => {
  it('has four requests at most under way to an endpoint, and as many as it takes when it is at rest again', async () => {
    const { world, clock, hub, begun } = await busy(() => ({ status: 204, ms: 50 }), 3_000)
    await clock.wind(1_500)
    expect(hub.underWay()).toBeGreaterThan(20)
    world.isBusy = () => true
    await clock.wind(100)
    expect(hub.underWay()).toBe(UNDER_WAY.least)
    expect(await begun(2_000)).toBeLessThanOrEqual(2 * OF_FOUR)
    world.isBusy = () => false
    // No burst: as at the beginning.
    expect(await begun(50)).toBeLessThanOrEqual(2 * UNDER_WAY.least)
    expect(await begun(2_000)).toBeGreaterThan(2 * 3 * OF_FOUR)
  })
})

describe('an endpoint with workers', () => {
  it('of which it has eight, and a queue: the queue stays short', async () => {
    const { world, clock, begun, hub } = await busy(() => ({ status: 204 }))
    world.answer = () => ({ status: 204, ms: 50 * Math.max(1, hub.underWay() / 8) })
    expect(await begun(10_000)).toBeGreaterThan(10 * 1.5 * OF_FOUR)
    await clock.wind(5_000)
    expect(world.most.get('a')).toBeLessThan(3 * 8)
  })

  it('of which it has ten, and refuses more: one event in a hundred fails, and its circuit stays closed', async () => {
    const { world, begun, hub } = await busy(() => ({ status: 204 }))
    world.answer = () => (hub.underWay() > 10 ? { status: 429, ms: 1 } : { status: 204, ms: 50 })
    expect(await begun(8_000)).toBeGreaterThan(8 * 1.5 * OF_FOUR)
    expect(world.most.get('a')).toBeLessThanOrEqual(12)
    const { rejected = 0, delivered = 0 } = Object.fromEntries(world.outcomes)
    expect(rejected).toBeLessThan(delivered / 50)
  })
})

describe('an endpoint that is fast', () => {
  it('delays no other one: an endpoint of the same partner and one of another get each event at once, also when the fast one hangs', async () => {
    const world = createWorld()
    const { memory, clock } = world
    for (const id of ['fast', 'same'])
      memory.add(id, { types: id === 'fast' ? ['bill.paid'] : ['device.locked'] })
    memory.add('other', { clientId: 'other' })
    const answer = (ofFast: Reply) => {
      world.answer = ({ webhookId }) => (webhookId === 'fast' ? ofFast : { status: 204, ms: 50 })
    }
    answer({ status: 204, ms: 50 })
    world.start()
    for (let n = 0; n < 5_000; n += 1) memory.tell({ type: 'bill.paid' })
    await clock.wind(1_500)
    expect(world.most.get('fast')).toBeGreaterThan(20)
    for (const reply of [{ status: 204, ms: 50 }, 'hang'] as const) {
      answer(reply)
      for (let round = 0; round < 5; round += 1) {
        const before = ['same', 'other'].map((id) => world.of(id).length)
        memory.tell({ type: 'device.locked' })
        memory.tell({ clientId: 'other' })
        await clock.wind(400)
        expect(['same', 'other'].map((id) => world.of(id).length)).toEqual(before.map((n) => n + 1))
      }
    }
  })
})
