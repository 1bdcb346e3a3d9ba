import { describe, expect, it } from 'vitest'
import { acksIn, DeviceBench, eventsIn, HUB_START } from '../../support/device-bench.ts'

const EXP = HUB_START + 300
const QR = { qr: 'QR', amount: '50000', bill: 'B-1', exp: EXP }

describe('sb/1 7.17: missing hardware', () => {
  it.each([
    ['code', { code: '048213', exp: EXP }],
    ['qr', QR],
    ['profile', { name: 'Phở', qr: '' }],
    ['clear', { what: 'qr' }],
    ['missed', { count: 1, amount: '1000' }],
  ] as const)('without a screen, %s is unsupported', (t, d) => {
    const bench = new DeviceBench({ caps: ['speaker'] })
    bench.connect()
    expect(acksIn(bench.send(t, d, { n: 5 }))).toEqual([{ n: 5, st: 'failed', rc: 'unsupported' }])
    expect(bench.display).toEqual({ screen: 'off' })
  })

  it('without a loudspeaker, nothing is spoken and nothing beeps', () => {
    const bench = new DeviceBench({ caps: ['screen', 'qr'] })
    bench.connect()
    expect(acksIn(bench.announce('1000', { n: 5 }))).toEqual([{ n: 5, st: 'failed', rc: 'unsupported' }])
    expect(acksIn(bench.send('identify', {}, { n: 6 }))).toMatchObject([{ rc: 'unsupported' }])
    expect(bench.stored.played).toBe(0)
  })

  it('a screen without QR still shows codes and names', () => {
    const bench = new DeviceBench({ caps: ['screen', 'speaker'] })
    bench.connect()
    expect(acksIn(bench.send('qr', QR))).toMatchObject([{ st: 'failed', rc: 'unsupported' }])
    bench.send('profile', { name: 'Phở', qr: 'STATIC' })
    expect(bench.display).toEqual({ screen: 'idle', name: 'Phở', qr: '' })
  })

  it('is reported in the birth; every speaker takes settings', () => {
    const bench = new DeviceBench({ caps: [] })
    expect(bench.open()).toMatchObject([{ message: { kind: 'birth', body: { caps: [] } } }])
    bench.send('welcome', { now: bench.hubNow, n: 0, linked: true })
    expect(acksIn(bench.send('settings', { ver: 1, volume: 5, lang: 'vi' }))).toMatchObject([
      { st: 'received' },
    ])
  })
})

describe('sb/1 8.6: settings changed at the speaker', () => {
  it('take the next version, persisted before they are reported', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.send('settings', { ver: 4, volume: 30, lang: 'vi' })
    const effects = bench.event({ type: 'adjusted', change: { volume: 60 } })
    expect(effects.map(({ type }) => type)).toEqual(['persist', 'emit', 'publish'])
    expect(effects.at(-1)).toMatchObject({
      message: { kind: 'settings', body: { t: 'settings', ver: 5, volume: 60, lang: 'vi' } },
    })
    expect(bench.stored).toEqual({ played: 0, settings: { ver: 5, volume: 60, lang: 'vi' } })
  })

  it.each([
    ['what is the same already', { volume: 80 }],
    ['a language that it has no clips of', { lang: 'en' }],
  ] as const)('%s changes nothing', (_, change) => {
    const bench = new DeviceBench({ languages: ['vi'] })
    bench.connect()
    expect(bench.event({ type: 'adjusted', change })).toEqual([])
  })

  it('volume 0 refuses the next announcement as muted, and the current one finishes', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.event({ type: 'adjusted', change: { volume: 0 } })
    expect(acksIn(bench.announce('2000', { n: 6 }))).toMatchObject([{ rc: 'muted' }])
    expect(eventsIn(bench.wind(5_000))).toContainEqual({ event: 'played', n: 5 })
  })
})
