import { afterEach, describe, expect, it } from 'vitest'
import { MemoryError, volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import type { SpeakerOptions } from '../../../../simulator/speaker/speaker-options.ts'
import { announcementOf } from '../../support/announcement.ts'
import {
  type Heard,
  type HubDouble,
  type HubDoubleOptions,
  startHubDouble,
} from '../../support/hub-double.ts'
import { Watch } from '../../support/watch.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const SERIAL = 'SPK-TEST-03'
const KEY = Buffer.alloc(32, 9)
const ANNOUNCE = announcementOf('50000')

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function stage(options: Partial<SpeakerOptions> = {}, hubOptions: Partial<HubDoubleOptions> = {}) {
  const hub = await startHubDouble({ serial: SERIAL, key: KEY, ...hubOptions })
  closers.push(() => hub.close())
  const memory = volatileMemory()
  const config = { msPerClip: 1, ...options.config }
  const speaker = createSpeaker({
    ...{ serial: SERIAL, key: KEY, url: hub.url, memory, random: () => 0 },
    ...options,
    config,
  })
  closers.push(() => speaker.stop())
  return { hub, speaker, watch: new Watch(speaker) }
}

describe('a slow link', () => {
  const slow = { config: { slowLinkMs: { least: 20, most: 40 } } }

  it('delays every packet, each way, and loses none', async () => {
    const clock = new WoundClock()
    const { hub, speaker, watch } = await stage({ clock, faults: ['slow-link'], random: () => 0.5 })
    speaker.start()
    let woundMs = 0
    while (watch.events.every(({ event }) => event !== 'connected')) {
      await waitsFor(clock, 2_750)
      clock.wind(2_750)
      woundMs += 2_750
    }
    // CONNECT, CONNACK, SUBSCRIBE, SUBACK, the birth, the welcome.
    expect(woundMs).toBeGreaterThanOrEqual(6 * 2_750)
    expect(hub.connects).toHaveLength(1)
    // A clean disconnect would wait for a clock that nobody advances.
    await speaker.cutNetwork()
  })

  it('can start and stop within a session, and keeps the order', async () => {
    const { hub, speaker, watch } = await stage(slow)
    speaker.start()
    await watch.next('connected')
    speaker.setFault('slow-link', true)
    const startedAt = performance.now()
    const slowly = await hub.send('announce', ANNOUNCE)
    await hub.until(({ body }) => body.id === slowly && body.st === 'played')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40)
    const last = await hub.send('announce', ANNOUNCE)
    speaker.setFault('slow-link', false)
    await hub.until(({ body }) => body.id === last && body.st === 'played')
    const stages = acksOf(hub.heard).filter(([, id]) => id === slowly || id === last)
    expect(stages).toEqual([
      ['received', slowly],
      ['played', slowly],
      ['received', last],
      ['played', last],
    ])
    expect(hub.connects).toHaveLength(1)
  })

  it('does not delay a power cut', async () => {
    const clock = new WoundClock()
    const { speaker, watch } = await stage({ clock, faults: ['slow-link'] })
    speaker.start()
    await waitsFor(clock, 1_500)
    await speaker.powerOff()
    expect(watch.events.at(-1)).toEqual({ event: 'power', on: false })
    expect(clock.waits).toEqual([])
  })
})

describe('acks over the connection', () => {
  it('repeat-acks: arrive twice, with the same MAC', async () => {
    const { hub, speaker, watch } = await stage({ faults: ['repeat-acks'] })
    speaker.start()
    await watch.next('connected')
    const id = await hub.send('announce', ANNOUNCE)
    await twice(hub, id)
    expect(acksOf(hub.heard).filter(([, of]) => of === id)).toEqual([
      ['received', id],
      ['received', id],
      ['played', id],
      ['played', id],
    ])
  })

  it('drop-acks: none arrives, and the repeat is reported but not announced', async () => {
    const { hub, speaker, watch } = await stage()
    speaker.start()
    await watch.next('connected')
    await acked(hub, 1)
    speaker.setFault('drop-acks', true)
    const id = await hub.send('announce', ANNOUNCE, { n: 7 })
    await watch.next('played')
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await watch.next('repeat')).toMatchObject({ n: 7, stage: 'played' })
    expect(acksOf(hub.heard).filter(([, of]) => of === id)).toEqual([])
    expect(watch.events.filter(({ event }) => event === 'announce')).toHaveLength(1)
  })
})

describe('power', () => {
  it('that fails in the middle of a word stops it; the next birth has the started number', async () => {
    const { hub, speaker, watch } = await stage({ config: { msPerClip: 60_000 } })
    speaker.start()
    await watch.next('connected')
    await hub.send('announce', ANNOUNCE, { n: 7 })
    await watch.next('announce')
    await speaker.powerOff()
    speaker.powerOn()
    await watch.next('connected')
    expect(births(hub).map(({ body }) => body.played)).toEqual([0, 7])
    expect(watch.events.map(({ event }) => event)).not.toContain('played')
  })

  it('forgets-played: the next birth has played 0', async () => {
    const { hub, speaker, watch } = await stage({ faults: ['forgets-played'] })
    speaker.start()
    await watch.next('connected')
    await hub.send('announce', ANNOUNCE, { n: 7 })
    await watch.next('announce')
    await speaker.powerOff()
    speaker.powerOn()
    await watch.next('connected')
    expect(births(hub).map(({ body }) => body.played)).toEqual([0, 0])
  })

  it('low-battery: switches off by itself, and on again by hand', async () => {
    const clock = new WoundClock()
    const { speaker, watch } = await stage({ clock, faults: ['low-battery'] })
    speaker.start()
    await watch.next('connected')
    clock.wind(60_000)
    expect(await watch.next('power')).toEqual({ event: 'power', on: false })
    expect(speaker.snapshot()).toMatchObject({ power: false, battery: 0, display: { screen: 'off' } })
    speaker.powerOn()
    await watch.next('connected')
    expect(speaker.snapshot()).toMatchObject({ power: true, battery: 15 })
    await speaker.powerOff()
    speaker.setFault('low-battery', false)
    expect(speaker.snapshot()).toMatchObject({ power: false, battery: 100 })
    speaker.powerOn()
    await watch.next('connected')
    expect(speaker.snapshot()).toMatchObject({ power: true, battery: 100 })
  })

  it('that fails inside a listener voids the remaining effects', async () => {
    const { hub, speaker, watch } = await stage()
    speaker.subscribe((item) => {
      if (item.kind !== 'event' || item.event.event !== 'announce') return
      void speaker.powerOff()
      speaker.powerOn()
    })
    speaker.start()
    await watch.next('connected')
    await hub.send('announce', ANNOUNCE, { n: 7 })
    await watch.next('announce')
    await watch.next('connected')
    expect(births(hub).map(({ body }) => body.played)).toEqual([0, 7])
    expect(acksOf(hub.heard).filter(([st]) => st === 'played')).toEqual([])
  })

  it('that returns before the network does not connect', async () => {
    const { hub, speaker, watch } = await stage()
    speaker.start()
    await watch.next('connected')
    await speaker.powerOff()
    await speaker.reconnect()
    await speaker.cutNetwork()
    speaker.powerOn()
    expect(speaker.snapshot()).toMatchObject({ power: true, link: 'offline', retryInMs: undefined })
    expect(hub.connects).toHaveLength(1)
    speaker.start()
    await watch.next('connected')
  })

  it('faults can be switched without it; buttons and memory need it', async () => {
    const { speaker, watch } = await stage()
    await speaker.powerOff()
    speaker.setFault('mute', true)
    speaker.setFault('mute', true)
    speaker.adjust({ volume: 10 })
    speaker.dismiss()
    speaker.start()
    expect(watch.events).toEqual([
      { event: 'power', on: false },
      { event: 'fault', fault: 'mute', on: true },
    ])
    expect(speaker.snapshot()).toMatchObject({ faults: ['mute'], settings: { volume: 80 }, link: 'offline' })
  })

  it('sb/1 12.4: that returns to an unreadable memory leaves the speaker silent', async () => {
    let readable = true
    const kept = volatileMemory()
    const load = () => {
      if (!readable) throw new MemoryError('the flash is worn out')
      return kept.load()
    }
    const { hub, speaker, watch } = await stage({ memory: { ...kept, load } })
    await speaker.powerOff()
    readable = false
    speaker.powerOn()
    expect(await watch.next('broken')).toEqual({ event: 'broken', reason: 'the flash is worn out' })
    expect(hub.connects).toEqual([])
  })
})

describe('settings changed at the speaker', () => {
  it('sb/1 8.3, sb/1 8.6: take the next version, and are reported at once', async () => {
    const { hub, speaker, watch } = await stage()
    speaker.start()
    await watch.next('connected')
    speaker.adjust({ volume: 35 })
    const report = await hub.until(({ kind }) => kind === 'settings')
    expect(report).toMatchObject({ verified: true, body: { t: 'settings', ver: 1, volume: 35, lang: 'vi' } })
    expect(await watch.next('settings')).toEqual({ event: 'settings', ver: 1, volume: 35, lang: 'vi' })
  })

  it('sb/1 8.3: without a link, are reported once after the next welcome, also across a power cut', async () => {
    const { hub, speaker, watch } = await stage()
    speaker.adjust({ volume: 35 })
    speaker.adjust({ lang: 'en' })
    speaker.adjust({ lang: 'en' })
    await speaker.powerOff()
    speaker.powerOn()
    await watch.next('connected')
    const report = await hub.until(({ kind }) => kind === 'settings')
    expect(report.body).toMatchObject({ ver: 2, volume: 35, lang: 'en' })
    await acked(hub, 1)
    await speaker.reconnect()
    await watch.next('connected')
    await hub.until(({ body }) => body.t === 'ack' && body.n === 2)
    expect(hub.heard.filter(({ kind }) => kind === 'settings')).toHaveLength(1)
  })
})

describe('a refused login', () => {
  it('is the last attempt with stopWhenRefused', async () => {
    const { speaker, watch } = await stage({ key: Buffer.alloc(32, 1), stopWhenRefused: true })
    speaker.start()
    expect(await watch.next('refused')).toEqual({
      event: 'refused',
      code: 5,
      reason: 'the hub refused the login (CONNACK 5)',
    })
    expect(speaker.snapshot()).toMatchObject({ link: 'offline', retryInMs: undefined })
  })
})

/** Resolves when an action with this delay is pending; earlier actions need turns of the event loop. */
async function waitsFor(clock: WoundClock, ms: number): Promise<void> {
  while (!clock.waits.includes(ms)) await new Promise((resolve) => setImmediate(resolve))
}

async function acked(hub: HubDouble, n: number): Promise<void> {
  await hub.until(({ body }) => body.t === 'ack' && body.n === n)
}

async function twice(hub: HubDouble, id: string): Promise<void> {
  let count = 0
  await hub.until(({ body }) => {
    if (body.id === id && body.st === 'played') count += 1
    return count === 2
  })
}

function acksOf(heard: readonly Heard[]) {
  return heard.flatMap(({ kind, body }) => (kind === 'ack' ? [[body.st, body.id]] : []))
}

function births(hub: HubDouble) {
  return hub.heard.filter(({ kind }) => kind === 'birth')
}
