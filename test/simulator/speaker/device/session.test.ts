import { describe, expect, it } from 'vitest'
import { TELEMETRY_MS } from '../../../../simulator/speaker/device/session.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { acksIn, DeviceBench, eventsIn, HUB_START } from '../../support/device-bench.ts'
import { commandIdOf } from '../../support/hub-double.ts'

describe('the session', () => {
  it('sb/1 8.1: starts with the birth', () => {
    expect(new DeviceBench().open()).toEqual([
      {
        type: 'publish',
        message: {
          kind: 'birth',
          body: {
            t: 'birth',
            sid: '0000000000000001',
            fw: '0.1.0',
            model: 'terminal',
            caps: ['screen', 'speaker', 'qr', 'rekey', 'update'],
            lang: ['vi', 'en'],
            rx: 512,
            played: 0,
            settings: 0,
            at: HUB_START - 3_600,
          },
        },
      },
    ])
  })

  it('sb/1 7.14: ignores commands before the welcome, without an ack', () => {
    const bench = new DeviceBench()
    bench.open()
    expect(bench.announce('1000')).toEqual([
      { type: 'emit', event: { event: 'ignored', reason: 'before_welcome' } },
    ])
  })

  it('acks the welcome as received', () => {
    expect(acksIn(new DeviceBench().connect())).toEqual([{ n: 1, st: 'received' }])
  })

  it('sb/1 11.2, sb/1 11.5: does not let a repeated welcome turn the clock back', () => {
    const bench = new DeviceBench()
    bench.open()
    const welcome = { now: bench.hubNow, n: 0, linked: true }
    bench.send('welcome', welcome, { n: 1 })
    bench.wind(600_000)
    expect(acksIn(bench.send('welcome', welcome, { n: 1 }))).toEqual([{ n: 1, st: 'received', dup: true }])
    const late = bench.announce('1000', { n: 2, at: bench.hubNow - 300 })
    expect(acksIn(late)).toEqual([{ n: 2, st: 'failed', rc: 'expired' }])
  })

  it('refuses unknown commands, and those larger than its buffer', () => {
    const bench = new DeviceBench()
    bench.connect()
    const unknown = bench.event({ type: 'unknown_command', id: commandIdOf(2), n: 2, t: 'dance' })
    expect(acksIn(unknown)).toEqual([{ n: 2, st: 'failed', rc: 'unsupported' }])
    const large = bench.send('profile', { name: 'x', qr: '' }, { n: 3 }, 513)
    expect(acksIn(large)).toEqual([{ n: 3, st: 'failed', rc: 'too_large' }])
  })

  it('publishes telemetry after the welcome and every 30 seconds, only while it is connected', () => {
    const bench = new DeviceBench()
    const sent = (effects: Effect[]) =>
      effects.filter((effect) => effect.type === 'publish' && effect.message.kind === 'telemetry').length
    expect(sent(bench.connect())).toBe(1)
    expect(sent(bench.wind(3 * TELEMETRY_MS))).toBe(3)
    bench.lose()
    expect(sent(bench.wind(3 * TELEMETRY_MS))).toBe(0)
  })

  it.each([
    [{ end: { reason: 'gone' }, retryInMs: undefined }, true, { event: 'disconnected', reason: 'gone' }],
    [{ end: { reason: 'cut' }, retryInMs: undefined }, false, undefined],
  ])('reports its end: %o', (closed, connected, event) => {
    const bench = new DeviceBench()
    if (connected) bench.connect()
    expect(eventsIn(bench.event({ type: 'closed', ...closed }))[0]).toEqual(event)
  })
})

describe('acks that the hub has not stored', () => {
  it('sb/1 7.4, sb/1 10.3: are sent again after the next welcome, the last stage of each command', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.lose()
    expect(acksIn(bench.wind(5_000))).toEqual([])
    expect(acksIn(bench.connect())).toContainEqual({ n: 5, st: 'played' })
  })

  it('are dropped once they are stored', () => {
    const bench = new DeviceBench()
    const connected = bench.connect()
    bench.announce('1000', { n: 5 })
    const played = bench.wind(5_000)
    for (const effect of [...connected, ...played])
      if (effect.type === 'publish' && effect.message.kind === 'ack')
        bench.event({ type: 'ack_stored', token: effect.message.token })
    bench.lose()
    expect(acksIn(bench.connect()).map(({ n }) => n)).toEqual([6])
  })
})

describe('settings', () => {
  const NEW = { ver: 3, volume: 40, lang: 'en' } as const

  it('sb/1 8.3, sb/1 8.5, sb/1 12.1: are persisted, acked, and reported', () => {
    const bench = new DeviceBench()
    bench.connect()
    const effects = bench.send('settings', NEW, { n: 4 })
    expect(acksIn(effects)).toEqual([{ n: 4, st: 'received' }])
    expect(effects.at(-1)).toEqual({
      type: 'publish',
      message: { kind: 'settings', body: { t: 'settings', ...NEW } },
    })
    bench.powerCut()
    expect(bench.open()).toMatchObject([{ message: { body: { settings: 3 } } }])
  })

  it('of an older or the same version change nothing, and are answered with the current settings', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.send('settings', NEW)
    const effects = bench.send('settings', { ...NEW, ver: 2, volume: 100 }, { n: 9 })
    expect(acksIn(effects)).toEqual([{ n: 9, st: 'received', dup: true }])
    expect(effects.at(-1)).toMatchObject({ message: { body: { ver: 3, volume: 40 } } })
  })
})
