import { describe, expect, it } from 'vitest'
import { MOST_OF_PARTNER } from '../../../../server/webhooks/send/lanes.ts'
import { begin, createWorld } from '../../../support/webhooks/world.ts'

describe('what a webhook may use', () => {
  it('is for new events first; one place is for those that are tried again', async () => {
    const { world, memory, clock, tell } = await begin()
    const failed = [tell(), tell(), tell()].map(({ id }) => id)
    let isBroken = true
    world.answer = ({ eventId }) => ({ status: isBroken && failed.includes(eventId) ? 500 : 204, ms: 900 })
    await clock.wind(2_000)
    isBroken = false
    // More than it can take, all the time.
    for (let n = 0; n < 400; n += 1) tell()
    await clock.wind(9_000)
    const since = world.sent.slice(3)
    expect(since.filter(({ eventId }) => failed.includes(eventId))).toHaveLength(3)
    expect(since.length).toBeGreaterThan(25)
    // Never more than one of the four.
    const retries = since.filter(({ eventId }) => failed.includes(eventId)).map(({ at }) => at)
    expect(retries[1] ?? 0).toBeGreaterThanOrEqual((retries[0] ?? 0) + 900)
    expect(memory.deliveries('a').filter(({ state }) => state === 'pending')).toEqual([])
  })

  it('is one commit a look for all', async () => {
    const { memory, clock, tell } = await begin(() => ({ status: 204, ms: 150 }))
    for (const id of ['b', 'c', 'd', 'e']) memory.add(id)
    await clock.wind(1_000)
    const before = memory.stores.length
    for (let n = 0; n < 4; n += 1) tell()
    await clock.wind(1_000)
    const stores = memory.stores.slice(before)
    expect(stores.flat().flatMap(({ deliveries }) => deliveries)).toHaveLength(20)
    expect(stores.length).toBeLessThanOrEqual(4)
  })

  it('costs next to nothing while there is none', async () => {
    const world = createWorld()
    world.start()
    await world.clock.wind(60_000)
    expect(world.memory.calls()).toBeLessThanOrEqual(61)
  })
})

describe('a partner', () => {
  it('that changes its webhook all the time puts off nobody', async () => {
    const { memory, clock, hub, of, tell } = await begin()
    memory.add('victim', { clientId: 'other' })
    await clock.wind(2_000)
    for (let n = 0; n < 100; n += 1) {
      hub.changed('a')
      if (n === 50) memory.tell({ clientId: 'other' })
      await clock.wind(40)
    }
    expect(of('victim')).toHaveLength(1)
    tell()
    await clock.wind(1_000)
    expect(of('a')).toHaveLength(1)
  })

  it('has places for its ten webhooks, however many it makes and deletes while they hang', async () => {
    const world = createWorld()
    const { memory, clock } = world
    world.answer = () => 'hang'
    const hub = world.start()
    let most = 0
    for (let round = 0; round < 10; round += 1) {
      const ids = Array.from({ length: 10 }, (_, n) => `w${round}-${n}`)
      for (const id of ids) memory.add(id, { clientId: 'a' })
      for (let n = 0; n < 8; n += 1) memory.tell({ clientId: 'a' })
      await clock.wind(1_200)
      most = Math.max(most, hub.underWay())
      for (const id of ids) memory.remove(id)
    }
    expect(most).toBe(MOST_OF_PARTNER.firsts)
  })

  it('whose endpoint is slow does not wait for the many slow endpoints of others', async () => {
    const world = createWorld()
    const { memory, clock } = world
    world.answer = ({ webhookId }) => ({ status: 204, ms: webhookId === 'victim' ? 1_200 : 14_000 })
    const others = Array.from({ length: 8 }, (_, n) => `partner-${n}`)
    for (const clientId of others)
      for (let n = 0; n < 10; n += 1) memory.add(`${clientId}-${n}`, { clientId })
    memory.add('victim', { clientId: 'victim' })
    world.start()
    await clock.wind(1_000)
    for (const clientId of others) for (let n = 0; n < 30; n += 1) memory.tell({ clientId })
    memory.tell({ clientId: 'victim' })
    await clock.wind(40_000)
    const toldAt = clock.elapsed()
    memory.tell({ clientId: 'victim' })
    await clock.wind(1_000)
    const [last] = world.of('victim').slice(-1)
    expect(last?.at).toBeGreaterThanOrEqual(toldAt)
  })
})

describe('a thousand webhooks', () => {
  it('of which 900 hang: the others get each event at once', async () => {
    const world = createWorld()
    const { memory, clock } = world
    const ids = Array.from({ length: 1_000 }, (_, n) => `w${n}`)
    for (const id of ids) memory.add(id, { clientId: `partner-${id}` })
    const hangs = (id: string) => Number(id.slice(1)) % 10 !== 0
    world.answer = ({ webhookId }) => (hangs(webhookId) ? 'hang' : { status: 204, ms: 50 })
    world.start()
    await clock.wind(1_000)
    const toldAt = new Map<string, number>()
    const tellAll = () => {
      for (const id of ids) {
        const { id: eventId } = memory.tell({ clientId: `partner-${id}` })
        toldAt.set(eventId, clock.elapsed())
      }
    }
    const delays: number[][] = []
    for (let round = 0; round < 12; round += 1) {
      tellAll()
      const before = world.sent.length
      await clock.wind(2_500)
      const healthy = world.sent.slice(before).filter(({ webhookId }) => !hangs(webhookId))
      delays.push(healthy.map(({ at, eventId }) => at - (toldAt.get(eventId) ?? 0)))
    }
    // The first time nobody knows who hangs: an endpoint moves over after a second.
    for (const [round, ofRound] of delays.entries()) {
      expect(ofRound, `round ${round}`).toHaveLength(100)
      expect(Math.max(...ofRound), `round ${round}`).toBeLessThan(round === 0 ? 2_500 : 1_000)
    }
    expect(Math.max(...world.most.values())).toBeLessThanOrEqual(4)
  }, 60_000)
})
