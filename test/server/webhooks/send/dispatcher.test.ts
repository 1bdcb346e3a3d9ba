import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { toEventJson } from '../../../../server/events/event.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { begin, createWorld } from '../../../support/webhooks/world.ts'

describe('new events', () => {
  it('are sent within a tick, each once, and stored', async () => {
    const { world, memory, clock, tell } = await begin()
    const told = [tell(), tell(), tell()]
    await clock.wind(250)
    expect(world.sent.map(({ eventId }) => eventId)).toEqual(told.map(({ id }) => id))
    await clock.wind(10_000)
    expect(world.sent).toHaveLength(3)
    expect(memory.deliveries('a').map(({ state, step }) => [state, step])).toEqual([
      ...[1, 2, 3].map(() => ['delivered', 1]),
    ])
    expect(memory.webhook('a')?.feeds).toEqual([{ number: 0, after: told.at(-1)?.seq, upTo: undefined }])
    expect(memory.webhook('a')?.lastDeliveredAt).toBeGreaterThan(0)
    expect([...world.outcomes]).toEqual([['delivered', 3]])
  })

  it('before the webhook was made are not for it', async () => {
    const world = createWorld()
    world.memory.tell()
    world.memory.add('a')
    world.start()
    const event = world.memory.tell()
    await world.clock.wind(1_000)
    expect(world.sent.map(({ eventId }) => eventId)).toEqual([event.id])
  })

  it('go to each webhook that wants their type; a test goes to the one that it names', async () => {
    const { memory, clock, of, tell } = await begin()
    memory.add('b', { types: ['bill.paid'] })
    memory.add('c', { types: [] })
    memory.add('d', { clientId: 'partner-2' })
    await clock.wind(1_000)
    tell()
    tell({ type: 'bill.paid' })
    tell({ type: 'webhook.test', data: { webhookId: 'c' } })
    await clock.wind(2_000)
    const types = (id: string) => of(id).map(({ body }) => JSON.parse(body).type)
    expect([types('a'), types('b'), types('c'), types('d')]).toEqual([
      ['device.locked', 'bill.paid'],
      ['bill.paid'],
      ['webhook.test'],
      [],
    ])
    // The feed of one that wants nothing moves on as well.
    expect(memory.webhook('c')?.feeds).toEqual(memory.webhook('a')?.feeds)
  })

  it('have the same bytes at every attempt, the time of the attempt, and a signature that a library verifies', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { memory, clock, of, tell } = await begin((n) => ({ status: n === 1 ? 500 : 204 }))
    const [newest, before] = [createRandomIds().webhookSecret(), createRandomIds().webhookSecret()]
    memory.change('a', {
      secret: newest,
      previous: { secret: before, until: clock.now() + 6_000 },
    })
    await clock.wind(1_000)
    const event = tell()
    await clock.wind(10_000)
    const [first, second] = of('a')
    expect(first?.body).toBe(JSON.stringify(toEventJson(event)))
    expect(second?.body).toBe(first?.body)
    expect([first, second].map((one) => one?.headers['webhook-id'])).toEqual([event.id, event.id])
    const began = memory.deliveries('a')[0]?.attempts.map(({ at }) => String(Math.floor(at / 1_000)))
    expect([first, second].map((one) => one?.headers['webhook-timestamp'])).toEqual(began)
    const verifies = (secret: string, one = first) => {
      vi.setSystemTime(Number(one?.headers['webhook-timestamp']) * 1_000)
      return new Webhook(secret).verify(one?.body ?? '', { ...one?.headers })
    }
    expect([verifies(newest), verifies(before)]).toEqual([toEventJson(event), toEventJson(event)])
    // The overlap of the rotation is over.
    expect(verifies(newest, second)).toEqual(toEventJson(event))
    expect(() => verifies(before, second)).toThrow('No matching signature')
    vi.useRealTimers()
  })

  it('go on being read while more are there than one read has', async () => {
    const { world, memory, clock, tell } = await begin()
    for (let n = 0; n < 1_000; n += 1) tell()
    await clock.wind(4_000)
    expect(memory.missing('a')).toEqual([])
    expect(world.sent).toHaveLength(1_000)
  })

  it('go on at the oldest that is kept when retention was faster', async () => {
    const world = createWorld()
    world.memory.add('a')
    const [gone, kept] = [world.memory.tell(), world.memory.tell()]
    world.memory.deleteUpTo(gone.seq)
    world.start()
    await world.clock.wind(2_000)
    expect(world.sent.map(({ eventId }) => eventId)).toEqual([kept.id])
    expect(world.memory.webhook('a')?.feeds[0]?.after).toBe(kept.seq)
  })
})

describe('a delivery that fails', () => {
  it('is sent once at a time, also when a replay has it as well', async () => {
    const { memory, clock, hub, of, tell } = await begin((n) => ({ status: n === 1 ? 500 : 204, ms: 3_000 }))
    const event = tell()
    await clock.wind(4_000)
    memory.webhook('a')?.feeds.push({ number: 1, after: event.seq - 1, upTo: event.seq })
    // Both are read by one look: the retry is due, and the replay is new to the hub.
    clock.set(10_000)
    hub.changed('a')
    await clock.wind(2_000)
    expect([of('a').length, hub.underWay()]).toEqual([2, 1])
    await clock.wind(60_000)
    expect([of('a').length, memory.missing('a')]).toEqual([2, []])
  })

  it('waits as long as Retry-After says; others do not wait for it', async () => {
    const { clock, of, tell } = await begin((n) =>
      n === 1 ? { status: 429, retryAfterMs: 60_000 } : { status: 204 },
    )
    tell()
    await clock.wind(1_000)
    tell()
    await clock.wind(1_000)
    expect(of('a')).toHaveLength(2)
    await clock.wind(57_000)
    expect(of('a')).toHaveLength(2)
    await clock.wind(3_000)
    expect(of('a')).toHaveLength(3)
  })

  it('is not sent when retention has deleted its event', async () => {
    const { memory, clock, of, stateOf, tell } = await begin(() => ({ status: 500 }))
    const event = tell()
    await clock.wind(300)
    memory.deleteUpTo(event.seq)
    await clock.wind(10_000)
    expect([of('a').length, stateOf(event.seq)]).toEqual([1, 'failed'])
  })
})

describe('a replay', () => {
  it('of a range sends it again, also what was delivered, beside new events', async () => {
    const { memory, clock, of, tell } = await begin()
    const told = Array.from({ length: 50 }, () => tell())
    await clock.wind(3_000)
    const [first, last] = [told[9], told[39]]
    memory.webhook('a')?.feeds.push({ number: 1, after: (first?.seq ?? 0) - 1, upTo: last?.seq })
    const fresh = tell()
    await clock.wind(3_000)
    const again = of('a').slice(50)
    expect(again.map(({ eventId }) => eventId).sort()).toEqual(
      [...told.slice(9, 40), fresh].map(({ id }) => id).sort(),
    )
    expect(memory.webhook('a')?.feeds.map(({ number }) => number)).toEqual([0])
  })

  it('goes behind new events, and counts what was sent once, also over a kill', async () => {
    const { world, memory, clock, hub, of, tell } = await begin(() => ({ status: 204, ms: 100 }))
    const told = Array.from({ length: 200 }, () => tell())
    await clock.wind(20_000)
    const upTo = told.at(-1)?.seq ?? 0
    memory.webhook('a')?.feeds.push({ number: 1, after: (told[0]?.seq ?? 0) - 1, upTo })
    await clock.wind(1_500)
    const before = of('a').length
    expect(before).toBeGreaterThan(210)
    expect(before).toBeLessThan(390)
    const fresh = Array.from({ length: 4 }, () => tell())
    await clock.wind(700)
    expect(
      of('a')
        .slice(before, before + 30)
        .map(({ eventId }) => eventId),
    ).toEqual(expect.arrayContaining(fresh.map(({ id }) => id)))
    hub.kill()
    world.start()
    await clock.wind(30_000)
    expect(memory.webhook('a')?.feeds).toHaveLength(1)
    expect(memory.replayed.get('a 1')).toBe(200)
  })

  it('of a range at the head of the log ends', async () => {
    const { memory, clock, tell } = await begin()
    const event = tell()
    await clock.wind(1_000)
    memory.webhook('a')?.feeds.push({ number: 1, after: event.seq, upTo: event.seq + 1_000 })
    await clock.wind(3_000)
    expect(memory.webhook('a')?.feeds).toHaveLength(1)
  })

  it('of one event is a delivery that is due', async () => {
    const { memory, clock, of, tell } = await begin()
    const event = tell()
    await clock.wind(1_000)
    const [delivery] = memory.deliveries('a')
    if (delivery) memory.keep({ ...delivery, state: 'pending', step: 0, nextAt: clock.now() })
    await clock.wind(1_500)
    expect(of('a').map(({ eventId }) => eventId)).toEqual([event.id, event.id])
  })
})
