import { describe, expect, it } from 'vitest'
import { sentenceMs } from '../../../../simulator/speaker/device/state/clip-times.ts'
import { DEFAULT_CONFIG } from '../../../../simulator/speaker/device/state/state.ts'
import {
  FACTORY_MEMORY,
  type Memory,
  type MemoryStore,
  volatileMemory,
} from '../../../../simulator/speaker/memory/memory.ts'
import type { SpeakerOptions } from '../../../../simulator/speaker/speaker-options.ts'
import { announcementOf } from '../../support/announcement.ts'
import { speakerAtDouble } from '../../support/speaker-at-double.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const ANNOUNCE = announcementOf('50000')

/** A store that is written elsewhere, as a browser's database is. */
function slowMemory(initial: Memory, write: (memory: Memory) => Promise<void>): MemoryStore {
  let kept = initial
  return {
    load: () => kept,
    save: async (memory) => {
      await write(memory)
      kept = memory
    },
  }
}

/** A store whose writes end when the test says so. */
function heldMemory(initial: Memory = FACTORY_MEMORY) {
  const writes: { memory: Memory; end: (error?: Error) => void }[] = []
  const write = (memory: Memory) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ memory, end: (error) => (error ? reject(error) : resolve()) })
    })
  return {
    store: slowMemory(initial, write),
    /** The next write, as soon as it has begun. */
    async next() {
      await until(() => writes.length > 0)
      const next = writes.shift()
      if (!next) throw new Error('there is a write')
      return next
    },
    writes,
  }
}

async function stage(memory: MemoryStore, options: Partial<SpeakerOptions> = {}) {
  const clock = new WoundClock()
  const now = () => Math.floor(clock.now() / 1000)
  const welcome = { now: now(), n: 1, linked: true, settings: 0 }
  const { hub, speaker, watch } = await speakerAtDouble({
    ...{ hub: { now, welcome }, memory, clock, config: {}, ...options },
  })
  const names = () => watch.events.map(({ event }) => event)
  return { clock, hub, speaker, watch, names }
}

async function connected(memory: MemoryStore) {
  const staged = await stage(memory)
  staged.speaker.start()
  await staged.watch.next('connected')
  return staged
}

describe('a memory that takes long to write', () => {
  it('sb/1 7.5, sb/1 12.2: lets no sound begin, and no other event be handled, before the write is durable', async () => {
    const memory = heldMemory()
    const { hub, speaker, watch, names } = await connected(memory.store)
    const id = await hub.send('announce', ANNOUNCE)
    const first = await memory.next()
    expect(first.memory.played).toBe(2)
    await hub.until(({ body }) => body.id === id && body.st === 'received')
    speaker.adjust({ volume: 35 })
    const before = names()
    expect(before).not.toContain('announce')
    await turns()
    expect(names()).toEqual(before)
    expect(memory.writes).toEqual([])

    first.end()
    await watch.next('announce')
    const second = await memory.next()
    expect(second.memory).toMatchObject({ played: 2, settings: { volume: 35, ver: 1 } })
    expect(names()).not.toContain('settings')
    second.end()
    await watch.next('settings')
    await hub.until(({ kind, body }) => kind === 'settings' && body.volume === 35)
  })

  it('sb/1 7.5: gives the sound its whole time from its late start, and acks played after that', async () => {
    const memory = heldMemory()
    const { clock, hub, speaker, watch, names } = await connected(memory.store)
    const id = await hub.send('announce', ANNOUNCE)
    const write = await memory.next()
    const spokenMs = sentenceMs(DEFAULT_CONFIG, ANNOUNCE)
    clock.wind(spokenMs + 1_000)
    expect(names()).not.toContain('played')
    write.end()
    await watch.next('announce')
    clock.wind(spokenMs - 1)
    expect(speaker.snapshot()).toMatchObject({ sounding: { n: 2 }, display: { screen: 'payment' } })
    expect(names()).not.toContain('played')
    clock.wind(1)
    await watch.next('played')
    await hub.until(({ body }) => body.id === id && body.st === 'played')
  })

  it('sb/1 7.7: keeps a payment silent whose time is over when the write ends, and says so', async () => {
    const memory = heldMemory()
    const { clock, hub, speaker, watch, names } = await connected(memory.store)
    const late = await hub.send('announce', ANNOUNCE, { ttl: 5 })
    const write = await memory.next()
    const next = await hub.send('announce', ANNOUNCE)
    clock.wind(6_000)
    write.end()
    expect(await watch.next('failed')).toMatchObject({ t: 'announce', rc: 'expired' })
    await hub.until(({ body }) => body.id === late && body.st === 'failed' && body.rc === 'expired')
    expect(names()).not.toContain('announce')
    expect(speaker.snapshot().display.screen).not.toBe('payment')
    // The next one starts when the hub has stored that.
    const after = await memory.next()
    after.end()
    expect(await watch.next('announce')).toMatchObject({ n: 3 })
    expect(next).not.toBe(late)
  })

  it('sb/1 12.4: that fails stops the speaker before the sound', async () => {
    const memory = heldMemory()
    const { hub, speaker, watch, names } = await connected(memory.store)
    await hub.send('announce', ANNOUNCE)
    const write = await memory.next()
    write.end(new Error('the quota is used up'))
    expect(await watch.next('broken')).toEqual({ event: 'broken', reason: 'the quota is used up' })
    await hub.until(({ kind, body }) => kind === 'will' && body.reason === 'bye')
    expect(names()).not.toContain('announce')
    speaker.adjust({ volume: 35 })
    expect(memory.writes).toEqual([])
  })

  it.each([
    { ends: 'was durable', error: undefined, spoken: 0 },
    { ends: 'was lost', error: new Error('no power'), spoken: 1 },
  ])('sb/1 12.2: a power cut voids what waits for a write that $ends', async ({ error, spoken }) => {
    const memory = heldMemory()
    const { hub, speaker, watch, names } = await connected(memory.store)
    await hub.send('announce', ANNOUNCE)
    const write = await memory.next()
    speaker.adjust({ volume: 35 })
    await speaker.powerOff()
    write.end(error)
    await turns()
    speaker.powerOn()
    await watch.next('connected')
    expect(names()).not.toContain('announce')
    expect(names()).not.toContain('settings')
    const again = await hub.send('announce', ANNOUNCE, { n: 2 })
    if (spoken > 0) (await memory.next()).end()
    await hub.until(({ body }) => body.id === again && (spoken > 0 || body.st === 'played'))
    await speaker.stop()
    expect(names().filter((name) => name === 'announce')).toHaveLength(spoken)
    expect(names()).not.toContain('broken')
  })

  it('of an earlier life delays the events of the next one: two writes never overlap', async () => {
    const memory = heldMemory()
    const { hub, speaker, watch, names } = await connected(memory.store)
    await hub.send('announce', ANNOUNCE)
    const write = await memory.next()
    await speaker.powerOff()
    speaker.powerOn()
    speaker.adjust({ volume: 35 })
    await turns()
    expect(memory.writes).toEqual([])
    write.end()
    const next = await memory.next()
    next.end()
    await watch.next('settings')
    expect(names()).not.toContain('announce')
  })

  it('holds back the birth until the loss of `played` is written', async () => {
    const memory = heldMemory({ ...FACTORY_MEMORY, played: 5 })
    const { hub, speaker, watch } = await stage(memory.store, { faults: ['forgets-played'] })
    speaker.start()
    await until(() => watch.items.some((item) => item.kind === 'packet' && item.note.packet === 'suback'))
    await turns()
    expect(hub.heard).toEqual([])
    const write = await memory.next()
    write.end()
    expect(await hub.until(({ kind }) => kind === 'birth')).toMatchObject({ body: { played: 0 } })
  })

  it('is written before the speaker has stopped, and leaves no timer behind', async () => {
    const memory = heldMemory()
    const { clock, hub, speaker } = await connected(memory.store)
    await hub.send('announce', ANNOUNCE)
    const write = await memory.next()
    let hasStopped = false
    const stopped = speaker.stop().then(() => {
      hasStopped = true
    })
    await turns()
    expect(hasStopped).toBe(false)
    write.end()
    await stopped
    expect(clock.waits).toEqual([])
  })

  it('changes no event and no order when it is written at once', async () => {
    const feeds = []
    for (const memory of [volatileMemory(), slowMemory(FACTORY_MEMORY, async () => {})]) {
      const { clock, hub, speaker, watch, names } = await stage(memory)
      speaker.start()
      await watch.next('connected')
      for (const n of [2, 3]) {
        const id = await hub.send('announce', ANNOUNCE, { n })
        await watch.next('announce')
        clock.wind(sentenceMs(DEFAULT_CONFIG, ANNOUNCE))
        await hub.until(({ body }) => body.id === id && body.st === 'played')
      }
      speaker.adjust({ volume: 35 })
      await hub.until(({ kind, body }) => kind === 'settings' && body.volume === 35)
      await speaker.stop()
      feeds.push({ names: names(), heard: hub.heard.map(({ kind, body }) => [kind, body.st]) })
    }
    expect(feeds[1]).toEqual(feeds[0])
  })
})

/** Resolves when a condition holds that needs turns of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

/** Gives everything that could happen wrongly some turns to happen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
