import { describe, expect, it } from 'vitest'
import { begin, createWorld } from '../../../support/webhooks/world.ts'

const DAY = 24 * 3_600_000

describe('a webhook that only fails', () => {
  it('opens its circuit after ten failures: then one delivery at each step, and no new event', async () => {
    const { memory, clock, of, tell } = await begin(() => ({ status: 500 }))
    for (let n = 0; n < 30; n += 1) tell()
    await clock.wind(4_000)
    const opened = of('a').length
    expect(opened).toBeGreaterThanOrEqual(10)
    expect(opened).toBeLessThanOrEqual(13)
    expect(memory.deliveries('a')).toHaveLength(opened)
    await clock.wind(2_000)
    expect(of('a').length).toBe(opened + 1)
    await clock.wind(58_000)
    expect(of('a').length).toBe(opened + 1)
    await clock.wind(5_000)
    expect(of('a').length).toBe(opened + 2)
    await clock.wind(300_000)
    expect(of('a').length).toBe(opened + 3)
    // Those that wait in the log have no row, and the feed stands before them.
    expect(memory.deliveries('a')).toHaveLength(opened)
  })

  it('gets everything once it is back', async () => {
    const { world, memory, clock, tell } = await begin(() => ({ status: 500 }))
    for (let n = 0; n < 30; n += 1) tell()
    await clock.wind(120_000)
    world.answer = () => ({ status: 200 })
    await clock.wind(360_000)
    expect(memory.missing('a')).toEqual([])
    expect(memory.webhook('a')?.failingSince).toBeUndefined()
  })

  it('gets everything also when the circuit opens while more is being read', async () => {
    for (const ms of [200, 300, 400, 500])
      for (const good of [13, 15, 17]) {
        const { world, memory, clock, hub, tell } = await begin((n) => ({
          status: n <= good ? 204 : 500,
          ms,
        }))
        for (let n = 0; n < 64; n += 1) tell()
        world.delay = async () => {
          await new Promise<void>((resolve) => void clock.after(100, resolve))
        }
        await clock.wind(20_000)
        world.answer = () => ({ status: 204 })
        hub.changed('a')
        await clock.wind(90_000)
        expect([good, ms, memory.missing('a'), world.lines.length]).toEqual([good, ms, [], 0])
        await stopped(hub, clock)
      }
  })

  it('delays no new event before ten failures, whatever is pending, and whatever happens to the webhook', async () => {
    for (const happen of ['nothing', 'description', 'url', 'rotate', 'restart'] as const) {
      const {
        world,
        memory,
        clock,
        hub: first,
        of,
        tell,
      } = await begin((n) => ({ status: n <= 3 ? 500 : 204 }))
      let hub = first
      const failed = tell()
      await clock.wind(70_000)
      expect(memory.deliveries('a')).toMatchObject([{ seq: failed.seq, state: 'pending', step: 3 }])
      if (happen === 'restart') {
        hub.kill()
        hub = world.start()
      } else if (happen === 'url') memory.change('a', { url: 'https://a.example/other' })
      else if (happen !== 'nothing') memory.change('a', { description: happen })
      const later = tell()
      await clock.wind(3_000)
      expect([happen, of('a').some(({ eventId }) => eventId === later.id)]).toEqual([happen, true])
      await stopped(hub, clock)
    }
  })

  it('sends a new event as the probe within five minutes, however far away what is pending is', async () => {
    const { world, memory, clock, of, tell } = await begin(() => ({ status: 500 }))
    for (let n = 0; n < 12; n += 1) tell()
    // By now, the next attempts of what has failed are hours away.
    await clock.wind(3 * 3_600_000)
    world.answer = () => ({ status: 204 })
    const later = tell()
    const before = of('a').length
    await clock.wind(5 * 60_000)
    expect(of('a').length).toBeGreaterThan(before)
    await clock.wind(2_000)
    expect(memory.deliveries('a').find(({ seq }) => seq === later.seq)?.state).toBe('delivered')
  })

  it('is not disabled by a clock that is days ahead for a minute, nor after it was days behind', async () => {
    for (const byMs of [6 * DAY, -100 * DAY]) {
      const { world, memory, clock, tell } = await begin(() => ({ status: 500 }))
      tell()
      await clock.wind(20_000)
      clock.set(byMs)
      world.isClockDoubted = () => true
      for (let n = 0; n < 3; n += 1) tell()
      await clock.wind(60_000)
      clock.set(-byMs)
      for (let n = 0; n < 3; n += 1) tell()
      await clock.wind(600_000)
      world.isClockDoubted = () => false
      tell()
      await clock.wind(60_000)
      expect(memory.webhook('a')?.state).toBe('enabled')
      // Its five days begin with the doubt.
      expect(clock.now() - (memory.webhook('a')?.failingSince ?? 0)).toBeLessThan(800_000)
    }
  })

  it('is disabled after five days, not before, with one warning', async () => {
    const world = createWorld()
    world.memory.add('a', { failingSince: world.clock.now() - 5 * DAY + 10_000 })
    world.answer = () => ({ status: 500 })
    const hub = world.start()
    world.memory.tell()
    await world.clock.wind(3_000)
    expect(world.memory.webhook('a')).toMatchObject({ state: 'enabled' })
    await world.clock.wind(70_000)
    expect(world.memory.webhook('a')).toMatchObject({ state: 'disabled', disabledReason: 'failing' })
    const sent = world.sent.length
    world.memory.tell()
    await world.clock.wind(70_000)
    expect(world.sent).toHaveLength(sent)
    expect(world.lines.map(({ msg }) => msg)).toEqual([
      'a webhook is disabled: it has only failed for five days',
    ])
    await hub.stop()
  })

  it('is disabled at once by 410; enabled again it goes on where it stopped', async () => {
    const { world, memory, clock, of, tell } = await begin((n) => ({ status: n === 2 ? 410 : 204, ms: 10 }))
    tell()
    await clock.wind(300)
    const gone = tell()
    await clock.wind(300)
    expect(memory.webhook('a')).toMatchObject({ state: 'disabled', disabledReason: 'gone' })
    const later = tell()
    await clock.wind(60_000)
    expect(of('a')).toHaveLength(2)
    expect(world.lines).toHaveLength(1)
    memory.change('a', {
      state: 'enabled',
      disabledReason: undefined,
      failingSince: undefined,
    })
    await clock.wind(20_000)
    expect(memory.missing('a')).toEqual([])
    expect(
      new Set(
        of('a')
          .slice(2)
          .map(({ eventId }) => eventId),
      ),
    ).toEqual(new Set([gone.id, later.id]))
  })

  it('is tried at once when its URL was changed, and when the partner asks', async () => {
    for (const url of ['https://a.example/', 'https://a.example/other']) {
      const { world, memory, clock, hub, of, tell } = await begin(() => ({ status: 500 }))
      for (let n = 0; n < 12; n += 1) tell()
      await clock.wind(400_000)
      const before = of('a').length
      world.answer = () => ({ status: 204 })
      memory.change('a', { url })
      hub.changed('a')
      await clock.wind(2_000)
      expect(of('a').length).toBeGreaterThan(before)
      const waits = memory.deliveries('a').filter(({ nextAt }) => (nextAt ?? 0) > clock.now())
      expect(memory.missing('a')).toEqual(waits.map(({ seq }) => seq))
      // With the same URL, those that were tried again wait for their own time.
      expect(waits.length > 0).toBe(url === 'https://a.example/')
      await hub.stop()
    }
  })

  it('is tried at once when the partner asks for a test, which changes nothing of the webhook', async () => {
    const { world, clock, hub, of, tell } = await begin(() => ({ status: 500 }))
    for (let n = 0; n < 12; n += 1) tell()
    // The next probe is minutes away.
    await clock.wind(400_000)
    const before = of('a').length
    await clock.wind(2_000)
    expect(of('a')).toHaveLength(before)
    world.answer = () => ({ status: 204 })
    const test = tell({ type: 'webhook.test', data: { webhookId: 'a' } })
    hub.changed('a')
    await clock.wind(2_000)
    expect(of('a').some(({ eventId }) => eventId === test.id)).toBe(true)
    await stopped(hub, clock)
  })

  it('counts an address that is refused as a failure', async () => {
    const { world, memory, clock, tell } = await begin(() => 'refused')
    tell()
    await clock.wind(1_000)
    expect(memory.deliveries('a')[0]).toMatchObject({ state: 'pending', step: 1 })
    expect([...world.outcomes]).toEqual([['refused', 1]])
  })
})

async function stopped(hub: { stop(): Promise<void> }, clock: { wind(ms: number): Promise<void> }) {
  const end = hub.stop()
  await clock.wind(10_000)
  await end
}
