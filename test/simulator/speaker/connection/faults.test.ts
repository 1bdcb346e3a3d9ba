import { describe, expect, it } from 'vitest'
import { MemoryError, volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { announcementOf } from '../../support/announcement.ts'
import type { Heard, HubDouble } from '../../support/hub-double.ts'
import { speakerAtDouble, welcomedSpeaker } from '../../support/speaker-at-double.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const ANNOUNCE = announcementOf('50000')

describe('a slow link', () => {
  const slow = { config: { msPerClip: 1, slowLinkMs: { least: 20, most: 40 } } }

  it('delays every packet, each way, and loses none', async () => {
    const clock = new WoundClock()
    const { hub, speaker, watch } = await speakerAtDouble({ clock, faults: ['slow-link'], random: () => 0.5 })
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
    const { hub, speaker } = await welcomedSpeaker(slow)
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
    const { speaker, watch } = await speakerAtDouble({ clock, faults: ['slow-link'] })
    speaker.start()
    await waitsFor(clock, 1_500)
    await speaker.powerOff()
    expect(watch.events.at(-1)).toEqual({ event: 'power', on: false })
    expect(clock.waits).toEqual([])
  })
})

describe('power', () => {
  it('low-battery: switches off by itself, and on again by hand', async () => {
    const clock = new WoundClock()
    const { speaker, watch } = await welcomedSpeaker({ clock, faults: ['low-battery'] })
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
    const { hub, speaker, watch } = await speakerAtDouble()
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
    const { hub, speaker, watch } = await welcomedSpeaker()
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
    const { speaker, watch } = await speakerAtDouble()
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
    const { hub, speaker, watch } = await speakerAtDouble({ memory: { ...kept, load } })
    await speaker.powerOff()
    readable = false
    speaker.powerOn()
    expect(await watch.next('broken')).toEqual({ event: 'broken', reason: 'the flash is worn out' })
    expect(hub.connects).toEqual([])
  })
})

describe('settings changed at the speaker', () => {
  it('sb/1 8.3, sb/1 8.6: take the next version, and are reported at once', async () => {
    const { hub, speaker, watch } = await welcomedSpeaker()
    speaker.adjust({ volume: 35 })
    const report = await hub.until(({ kind }) => kind === 'settings')
    expect(report).toMatchObject({ verified: true, body: { t: 'settings', ver: 1, volume: 35, lang: 'vi' } })
    expect(await watch.next('settings')).toEqual({ event: 'settings', ver: 1, volume: 35, lang: 'vi' })
  })

  it('sb/1 8.3: without a link, are reported once after the next welcome, also across a power cut', async () => {
    const { hub, speaker, watch } = await speakerAtDouble()
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
    const { speaker, watch } = await speakerAtDouble({ key: Buffer.alloc(32, 2), stopWhenRefused: true })
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

function acksOf(heard: readonly Heard[]) {
  return heard.flatMap(({ kind, body }) => (kind === 'ack' ? [[body.st, body.id]] : []))
}

function births(hub: HubDouble) {
  return hub.heard.filter(({ kind }) => kind === 'birth')
}
