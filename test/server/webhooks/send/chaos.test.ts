import { expect, it } from 'vitest'
import { randomFrom } from '../../../support/random.ts'
import { SEED } from '../../../support/seed.ts'
import { createWorld, type Reply } from '../../../support/webhooks/world.ts'

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const clientOf = (id: string) => (IDS.indexOf(id) < 3 ? 'partner-1' : 'partner-2')
const STEPS = 60

/** Endpoints that fail in all ways while hubs die, storages go away and partners change things. */
async function live(seed: number) {
  const random = randomFrom(seed)
  const below = (n: number) => Math.floor(random() * n)
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const world = createWorld({ random })
  const { memory, clock } = world
  // Requests end while the storage works.
  world.delay = async () => {
    const ms = below(4) === 0 ? below(100) : 0
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve))
  }
  for (const id of IDS)
    memory.add(id, { clientId: clientOf(id), types: id === 'c' ? ['bill.paid'] : undefined })
  const replies: (() => Reply)[] = [
    () => ({ status: 204, ms: below(300) }),
    () => ({ status: 204, ms: below(3_000) }),
    () => ({ status: oneOf([200, 500, 503, 302]), ms: below(100) }),
    () => 'hang',
    () => ({ status: oneOf([429, 204]), retryAfterMs: below(5_000) }),
  ]
  const moods = new Map(IDS.map((id) => [id, oneOf(replies)]))
  world.answer = ({ webhookId }) => moods.get(webhookId)?.() ?? { status: 204 }
  let hub = world.start()
  const acts: (() => void)[] = [
    ...[0, 1, 2].map(() => () => {
      for (let n = below(20); n > 0; n -= 1)
        memory.tell({
          clientId: oneOf(['partner-1', 'partner-2']),
          type: oneOf(['bill.paid', 'device.locked']),
        })
    }),
    () => moods.set(oneOf(IDS), oneOf(replies)),
    () => {
      hub.kill()
      hub = world.start()
    },
    // Another one that takes itself for the leader as well, for a while.
    () => {
      const other = world.start()
      clock.after(below(3_000), other.kill)
    },
    () => {
      memory.setAway(true)
      clock.after(below(3_000), () => memory.setAway(false))
    },
    () => memory.change(oneOf(IDS), { description: `${below(9)}` }),
    () => {
      const id = oneOf(IDS)
      memory.change(id, { state: 'disabled' })
      clock.after(below(20_000), () => memory.change(id, { state: 'enabled', failingSince: undefined }))
    },
    () => {
      const webhook = memory.webhook(oneOf(IDS))
      const last = webhook?.feeds.at(-1)
      if (webhook && last && last.after > 0)
        webhook.feeds.push({ number: last.number + 1, after: below(last.after), upTo: last.after })
    },
    () => hub.changed(oneOf(IDS)),
    () => clock.set(below(60_000)),
  ]
  for (let step = 0; step < STEPS; step += 1) {
    oneOf(acts)()
    await clock.wind(below(2_000))
  }
  // All is well again: what waits for its time gets there.
  world.answer = () => ({ status: 204 })
  for (let round = 0; round < 12; round += 1) {
    await clock.wind(20_000)
    clock.set(3_600_000)
    for (const id of IDS) hub.changed(id)
  }
  await clock.wind(5_000)
  return { memory, world }
}

it.each([1, 2, 3, SEED])(
  'whatever happens, each event reaches each webhook that wants it: seed %i',
  async (seed) => {
    const { memory, world } = await live(seed)
    for (const id of IDS) {
      expect([id, memory.webhook(id)?.state, memory.missing(id)]).toEqual([id, 'enabled', []])
      expect(memory.webhook(id)?.feeds.map(({ number }) => number)).toEqual([0])
    }
    // Nothing of the hub itself has failed, and the storage never saw an event passed over.
    expect(world.lines).toEqual([])
    expect(world.sent.length).toBeGreaterThan(100)
  },
)
