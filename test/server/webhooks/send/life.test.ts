import { describe, expect, it } from 'vitest'
import { begin } from '../../../support/webhooks/world.ts'

describe('a webhook that is changed while the hub sends', () => {
  it('gets nothing once it is removed or disabled, and its results are stored', async () => {
    const { memory, clock, of, tell } = await begin(() => ({ status: 204, ms: 3_000 }))
    for (let n = 0; n < 20; n += 1) tell()
    await clock.wind(300)
    memory.change('a', { state: 'disabled' })
    await clock.wind(2_000)
    const before = of('a').length
    expect(before).toBe(4)
    await clock.wind(60_000)
    expect(of('a')).toHaveLength(before)
    expect(memory.deliveries('a').filter(({ state }) => state === 'delivered')).toHaveLength(before)
    // On again before the requests of the earlier time are over: still four at most.
    memory.change('a', { state: 'enabled' })
    await clock.wind(60_000)
    expect(memory.missing('a')).toEqual([])
    memory.remove('a')
    await clock.wind(1_100)
    tell()
    await clock.wind(10_000)
    expect(of('a')).toHaveLength(20)
  })

  it('has at most four requests under way also when it is disabled and enabled in between', async () => {
    const { world, memory, clock, tell } = await begin(() => ({ status: 204, ms: 10_000 }))
    for (let n = 0; n < 20; n += 1) tell()
    await clock.wind(300)
    memory.change('a', { state: 'disabled' })
    await clock.wind(2_000)
    memory.change('a', { state: 'enabled' })
    await clock.wind(100_000)
    expect(world.most.get('a')).toBe(4)
    expect(memory.missing('a')).toEqual([])
  })

  it('uses its new types, URL and secret from the next request on', async () => {
    const { memory, clock, of, tell } = await begin()
    await clock.wind(1_000)
    memory.change('a', { url: 'https://a.example/new', types: ['bill.paid'] })
    await clock.wind(1_100)
    tell()
    tell({ type: 'bill.paid' })
    await clock.wind(1_000)
    expect(of('a').map(({ url, body }) => [url, JSON.parse(body).type])).toEqual([
      ['https://a.example/new', 'bill.paid'],
    ])
  })
})

describe('a hub that dies', () => {
  it('between the commit of an event and its delivery loses nothing: the next one sends it', async () => {
    for (const ms of [0, 1, 100, 5_000]) {
      const { world, memory, clock, hub, tell } = await begin(() => ({ status: 204, ms }))
      const told = Array.from({ length: 60 }, () => tell())
      await clock.wind(ms)
      hub.kill()
      await clock.wind(20_000)
      const before = world.sent.length
      world.start()
      await clock.wind(120_000)
      expect(memory.missing('a'), `${ms}`).toEqual([])
      // Twice is only what was under way, or was not stored yet.
      expect(world.sent.length, `${ms}`).toBeLessThanOrEqual(told.length + before)
    }
  })

  it('ahead of its feed does not make the next one send all again', async () => {
    const { world, memory, clock, hub, tell } = await begin((n) => (n === 1 ? 'hang' : { status: 204 }))
    const told = Array.from({ length: 200 }, () => tell())
    await clock.wind(3_000)
    expect(memory.webhook('a')?.feeds[0]?.after).toBeLessThan(told[0]?.seq ?? 0)
    expect(world.sent).toHaveLength(200)
    hub.kill()
    world.start()
    await clock.wind(3_000)
    expect(memory.missing('a')).toEqual([])
    expect(world.sent.slice(200).map(({ eventId }) => eventId)).toEqual([told[0]?.id])
  })
})

describe('a hub that stops', () => {
  it('takes nothing new, lets requests end and stores their results', async () => {
    const { world, memory, clock, hub, tell } = await begin(() => ({ status: 204, ms: 2_000 }))
    for (let n = 0; n < 10; n += 1) tell()
    await clock.wind(300)
    const stopped = hub.stop()
    await clock.wind(2_500)
    await stopped
    expect(world.sent).toHaveLength(4)
    expect(memory.deliveries('a').map(({ state }) => state)).toEqual(
      Array.from({ length: 4 }, () => 'delivered'),
    )
  })

  it('does not wait for an endpoint that hangs: the next one sends it again', async () => {
    const { world, memory, clock, hub, tell } = await begin(() => 'hang')
    tell()
    await clock.wind(300)
    let isStopped = false
    void hub.stop().then(() => {
      isStopped = true
    })
    await clock.wind(6_000)
    expect(isStopped).toBe(true)
    expect(memory.deliveries('a')).toEqual([])
    world.answer = () => ({ status: 204 })
    world.start()
    await clock.wind(2_000)
    expect(memory.missing('a')).toEqual([])
  })
})

describe('several hubs', () => {
  it('send from one of them, and another goes on when it does not lead any more', async () => {
    const { world, memory, clock, tell } = await begin(() => ({ status: 204, ms: 100 }))
    let leader = 1
    world.leads = async () => leader === 1
    const second = world.start(async () => leader === 2)
    for (let n = 0; n < 10; n += 1) tell()
    await clock.wind(3_000)
    expect(world.sent).toHaveLength(10)
    leader = 2
    await clock.wind(2_000)
    for (let n = 0; n < 10; n += 1) tell()
    await clock.wind(3_000)
    expect(world.sent).toHaveLength(20)
    expect(memory.missing('a')).toEqual([])
    await second.stop()
  })

  it('begin nothing when the answer that a hub leads comes after its lease', async () => {
    const { world, clock, of, tell } = await begin()
    await clock.wind(5_000)
    world.leads = async () => {
      await new Promise<void>((resolve) => void clock.after(4_000, resolve))
      return true
    }
    await clock.wind(5_000)
    // By now, another hub may send.
    tell()
    await clock.wind(20_000)
    expect(of('a')).toHaveLength(0)
    world.leads = async () => true
    await clock.wind(10_000)
    expect(of('a')).toHaveLength(1)
  })

  it('begin nothing while a hub can not tell whether it leads', async () => {
    const { world, clock, tell } = await begin()
    world.leads = () => new Promise(() => undefined)
    await clock.wind(4_000)
    tell()
    await clock.wind(10_000)
    expect(world.sent).toEqual([])
  })
})

describe('while the storage is away', () => {
  it('nothing new begins, results are kept, and nothing is lost', async () => {
    const { world, memory, clock, tell } = await begin(() => ({ status: 204, ms: 1_000 }))
    for (let n = 0; n < 40; n += 1) tell()
    await clock.wind(500)
    memory.setAway(true)
    await clock.wind(60_000)
    const during = world.sent.length
    // Those that were under way.
    expect(during).toBe(4)
    expect(world.lines).toEqual([])
    memory.setAway(false)
    await clock.wind(60_000)
    expect(memory.missing('a')).toEqual([])
    expect(world.sent).toHaveLength(40)
    expect(memory.deliveries('a').every(({ attempts }) => attempts.length === 1)).toBe(true)
  })
})
