import { describe, expect, it } from 'vitest'
import { acksIn, DeviceBench, eventsIn, HUB_START } from '../../support/device-bench.ts'

const EXP = HUB_START + 300
const QR = { qr: 'QR', amount: '50000', bill: 'B-1', exp: EXP }

describe('sb/1 7.17: missing hardware', () => {
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
