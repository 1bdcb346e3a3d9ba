import { describe, expect, it } from 'vitest'
import { TELEMETRY_LEAST_MS, TELEMETRY_MS } from '../../../../simulator/speaker/device/session.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { FAULT_NOTES, FAULTS, withFault } from '../../../../simulator/speaker/device/state/faults.ts'
import { DRAIN_MS_PER_PERCENT } from '../../../../simulator/speaker/device/vitals.ts'
import { acksIn, DeviceBench, eventsIn, HUB_START, spokenIn } from '../../support/device-bench.ts'
import { readmeOf } from '../../support/readme.ts'

/** Longer than any sentence in this file. */
const SENTENCE_MS = 5_000
const CODE = { code: '048213', exp: HUB_START + 300 }
const QR = { qr: 'QR', amount: '50000', bill: 'B-1', exp: HUB_START + 300 }

describe('faults', () => {
  it('have one order, without duplicates', () => {
    const both = withFault(withFault([], 'mute', true), 'slow-link', true)
    expect(both).toEqual(['slow-link', 'mute'])
    expect(withFault(both, 'mute', true)).toEqual(both)
    expect(withFault(both, 'slow-link', false)).toEqual(['mute'])
  })

  it('are in the README with their texts', () => {
    const readme = readmeOf('simulator')
    for (const fault of FAULTS)
      expect(readme).toContain(`| \`${fault}\` | ${FAULT_NOTES[fault].does} | ${FAULT_NOTES[fault].seen} |`)
  })

  it('emit an event only when they change', () => {
    const bench = new DeviceBench()
    expect(eventsIn(bench.fault('mute'))).toEqual([{ event: 'fault', fault: 'mute', on: true }])
    expect(bench.fault('mute')).toEqual([])
    expect(eventsIn(bench.fault('mute', false))).toEqual([{ event: 'fault', fault: 'mute', on: false }])
  })

  it('survive a power cut', () => {
    const bench = new DeviceBench({}, ['mute'])
    bench.powerCut()
    bench.connect()
    expect(acksIn(bench.announce('1000'))).toMatchObject([{ st: 'failed', rc: 'muted' }])
  })
})

describe('drop-acks', () => {
  it('sends no ack; the announcement is spoken once for any number of repeats', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.fault('drop-acks')
    const first = bench.announce('50000', { n: 5 })
    expect(acksIn(first)).toEqual([])
    expect(eventsIn(first)[0]).toEqual({ event: 'dropped', n: 5, stage: 'received' })
    expect(acksIn(bench.announce('50000', { n: 5 }))).toEqual([])
    bench.wind(SENTENCE_MS)
    bench.announce('50000', { n: 5 })
    expect(spokenIn(bench.effects)).toEqual([5])
  })

  it('sb/1 7.4: dropped acks are sent after the next welcome', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.fault('drop-acks')
    bench.announce('50000', { n: 5 })
    bench.wind(SENTENCE_MS)
    bench.fault('drop-acks', false)
    bench.lose()
    expect(acksIn(bench.connect())).toContainEqual({ n: 5, st: 'played' })
  })
})

describe('repeat-acks', () => {
  it('sends every ack twice, unchanged', () => {
    const bench = new DeviceBench({}, ['repeat-acks'])
    bench.connect()
    const acks = bench
      .announce('50000', { n: 5 })
      .filter((effect) => effect.type === 'publish' && effect.message.kind === 'ack')
    expect(acks).toHaveLength(2)
    expect(acks[0]).toEqual(acks[1])
  })
})

describe('broken-display', () => {
  it('is dark, and fails screen commands', () => {
    const bench = new DeviceBench({}, ['broken-display'])
    bench.connect()
    const effects = bench.send('code', CODE, { n: 5 })
    expect(acksIn(effects)).toEqual([{ n: 5, st: 'failed', rc: 'display_failed' }])
    expect(eventsIn(effects).map(({ event }) => event)).toEqual(['failed'])
    expect(bench.display).toEqual({ screen: 'off' })
  })

  it('goes dark at once, and shows its content again after a repair', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.send('code', CODE)
    bench.fault('broken-display')
    expect(bench.display).toEqual({ screen: 'off' })
    bench.fault('broken-display', false)
    expect(bench.display).toMatchObject({ screen: 'code', code: '048213' })
  })

  it('still speaks', () => {
    const bench = new DeviceBench({}, ['broken-display'])
    bench.connect()
    expect(spokenIn(bench.announce('1000', { n: 5 }))).toEqual([5])
  })
})

describe.each([
  ['broken-audio', 'audio_failed'],
  ['mute', 'muted'],
] as const)('%s', (fault, rc) => {
  it('fails inaudible sounds, and does not change played', () => {
    const bench = new DeviceBench({}, [fault])
    bench.connect()
    expect(acksIn(bench.announce('1000', { n: 5 }))).toEqual([{ n: 5, st: 'failed', rc }])
    expect(acksIn(bench.send('identify', {}, { n: 6 }))).toEqual([{ n: 6, st: 'failed', rc }])
    expect(bench.stored.played).toBe(0)
  })

  it('stops the current sound, which was not played, and refuses the queue', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.announce('2000', { n: 6 })
    expect(acksIn(bench.fault(fault))).toEqual([
      { n: 5, st: 'failed', rc },
      { n: 6, st: 'failed', rc },
    ])
    bench.fault(fault, false)
    expect(bench.wind(SENTENCE_MS)).not.toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ event: 'played' }) }),
    )
    expect(acksIn(bench.announce('1000', { n: 5 }))).toEqual([{ n: 5, st: 'failed', rc, dup: true }])
    bench.storeAcks()
    expect(spokenIn(bench.announce('3000', { n: 7 }))).toEqual([7])
  })
})

describe('low-battery', () => {
  const DRAINED_MS = 15 * DRAIN_MS_PER_PERCENT

  it('drains, reports it by telemetry soon and periodically, and switches the speaker off', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.wind(TELEMETRY_LEAST_MS)
    expect(telemetryIn(bench.fault('low-battery'))).toMatchObject([{ battery: 15 }])
    const until1 = bench.wind(DRAINED_MS - 1)
    expect(eventsIn(until1).at(-1)).toMatchObject({ event: 'vitals', battery: 1 })
    expect(telemetryIn(until1)).toMatchObject([{ battery: 8 }])
    expect(until1.map(({ type }) => type)).not.toContain('switch_off')
    expect(bench.wind(1)).toContainEqual({ type: 'switch_off' })
  })

  it('is full after a repair', () => {
    const bench = new DeviceBench({}, ['low-battery'])
    bench.connect()
    bench.wind(DRAINED_MS / 2)
    expect(telemetryIn(bench.fault('low-battery', false))).toEqual([])
    expect(telemetryIn(bench.wind(TELEMETRY_LEAST_MS))).toMatchObject([{ battery: 100 }])
    expect(bench.wind(DRAINED_MS).map(({ type }) => type)).not.toContain('switch_off')
  })

  it('takes effect before the first link', () => {
    const bench = new DeviceBench({}, ['low-battery'])
    bench.open()
    expect(eventsIn(bench.effects)).toEqual([{ event: 'vitals', battery: 15, signal: -55 }])
  })
})

describe('slow-link', () => {
  it('has a weak signal', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.wind(TELEMETRY_LEAST_MS)
    expect(telemetryIn(bench.fault('slow-link'))).toMatchObject([{ battery: 100, signal: -107 }])
  })

  it('sb/1 8.9: is told by telemetry as soon as 10 s have passed since the last, however often it comes and goes', () => {
    const bench = new DeviceBench()
    expect(telemetryIn(bench.connect())).toHaveLength(1)
    for (const on of [true, false, true]) expect(telemetryIn(bench.fault('slow-link', on))).toEqual([])
    expect(telemetryIn(bench.wind(TELEMETRY_LEAST_MS - 1))).toEqual([])
    expect(telemetryIn(bench.wind(1))).toMatchObject([{ signal: -107 }])
    expect(telemetryIn(bench.wind(TELEMETRY_MS - 1))).toEqual([])
    expect(telemetryIn(bench.wind(1))).toHaveLength(1)
  })
})

describe('wrong-clock', () => {
  it('sb/1 11.1: reports a wrong time in its birth, and still uses the hub’s clock', () => {
    const right = birthIn(new DeviceBench().open())
    const bench = new DeviceBench({}, ['wrong-clock'])
    expect(birthIn(bench.open())?.at).toBe((right?.at ?? 0) + 7 * 3_600)
    bench.send('welcome', { now: bench.hubNow, n: 0, linked: true })
    const { hubNow } = bench
    expect(acksIn(bench.announce('1000', { n: 5, at: hubNow - 121 }))).toMatchObject([{ rc: 'expired' }])
    expect(spokenIn(bench.announce('1000', { n: 6, at: hubNow - 119 }))).toEqual([6])
  })

  it('may start while sounds wait and screens are shown, which keep their deadlines', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.send('code', CODE)
    bench.announce('1000', { n: 5 })
    bench.announce('2000', { n: 6 })
    bench.fault('wrong-clock')
    bench.wind(2 * SENTENCE_MS)
    expect(spokenIn(bench.effects)).toEqual([5, 6])
    expect(bench.display).toMatchObject({ screen: 'code', secondsLeft: 290 })
  })
})

describe('small-buffer', () => {
  it('reports 256 bytes, and refuses larger packets', () => {
    const bench = new DeviceBench({}, ['small-buffer'])
    expect(birthIn(bench.open())?.rx).toBe(256)
    bench.send('welcome', { now: bench.hubNow, n: 0, linked: true })
    expect(acksIn(bench.send('qr', QR, { n: 5 }, 257))).toEqual([{ n: 5, st: 'failed', rc: 'too_large' }])
    expect(acksIn(bench.send('qr', QR, { n: 6 }, 256))).toMatchObject([{ st: 'received' }, { st: 'shown' }])
  })

  it('never enlarges a buffer', () => {
    expect(birthIn(new DeviceBench({ rxBytes: 200 }, ['small-buffer']).open())?.rx).toBe(200)
  })
})

describe('forgets-played', () => {
  it('repeats the interrupted announcement after a power cut', () => {
    const bench = new DeviceBench({}, ['forgets-played'])
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.powerCut()
    expect(birthIn(bench.open())?.played).toBe(0)
    bench.send('welcome', { now: bench.hubNow, n: 5, linked: true })
    bench.announce('1000', { n: 5 })
    expect(spokenIn(bench.effects)).toEqual([5, 5])
  })

  it('loses played for good: a repair does not restore it', () => {
    const bench = new DeviceBench({}, ['forgets-played'])
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.powerCut()
    bench.fault('forgets-played', false)
    bench.powerCut()
    expect(birthIn(bench.open())?.played).toBe(0)
  })

  it('keeps its settings', () => {
    const bench = new DeviceBench({}, ['forgets-played'])
    bench.connect()
    bench.send('settings', { ver: 4, volume: 30, lang: 'en' })
    bench.announce('1000')
    bench.powerCut()
    expect(birthIn(bench.open())).toMatchObject({ settings: 4, played: 0 })
  })
})

function telemetryIn(effects: readonly Effect[]) {
  return effects.flatMap((effect) =>
    effect.type === 'publish' && effect.message.kind === 'telemetry' ? [effect.message.body] : [],
  )
}

function birthIn(effects: readonly Effect[]) {
  return effects.flatMap((effect) =>
    effect.type === 'publish' && effect.message.kind === 'birth' ? [effect.message.body] : [],
  )[0]
}
