import { describe, expect, it } from 'vitest'
import { MISSED_MS, PAID_MS } from '../../../../simulator/speaker/device/screens.ts'
import { acksIn, DeviceBench, eventsIn } from '../../support/device-bench.ts'

const QR = { qr: '000201', amount: '180000', bill: 'B-1' }
const CODE = '048213'

function shop(): DeviceBench {
  const bench = new DeviceBench()
  bench.connect()
  bench.send('profile', { name: 'Phở Hạnh', qr: '0002' })
  return bench
}

describe('the display', () => {
  it('shows connecting, then not registered, then the shop', () => {
    const bench = new DeviceBench()
    expect(bench.display.screen).toBe('connecting')
    bench.open()
    expect(bench.display.screen).toBe('connecting')
    bench.send('welcome', { now: bench.hubNow, n: 0, linked: false })
    expect(bench.display.screen).toBe('unregistered')
    bench.send('profile', { name: 'Phở Hạnh', qr: '0002' })
    expect(bench.display).toEqual({ screen: 'idle', name: 'Phở Hạnh', qr: '0002' })
    bench.send('profile', { name: '', qr: '' })
    expect(bench.display.screen).toBe('unregistered')
  })

  it('shows no network when the hub is unreachable and no shop is known', () => {
    const bench = new DeviceBench()
    bench.lose('nothing answers')
    expect(bench.display).toEqual({ screen: 'no_network', reason: 'nothing answers' })
  })

  it('keeps the shop when the link is lost', () => {
    const bench = shop()
    bench.lose()
    expect(bench.display.screen).toBe('idle')
  })

  it('prefers code, then paid, QR, missed, and the shop', () => {
    const bench = shop()
    bench.send('missed', { count: 2, amount: '3000' })
    expect(bench.display).toEqual({ screen: 'missed', count: 2, amount: '3000' })
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    expect(bench.display).toEqual({ screen: 'qr', ...QR, secondsLeft: 300 })
    bench.announce('180000', {}, QR.bill)
    expect(bench.display).toEqual({ screen: 'paid', amount: '180000', bill: QR.bill })
    bench.send('code', { code: CODE, exp: bench.hubNow + 60 })
    expect(bench.display).toEqual({ screen: 'code', code: CODE, secondsLeft: 60 })
    bench.send('clear', { what: 'code' })
    expect(bench.display.screen).toBe('paid')
    bench.wind(PAID_MS)
    expect(bench.display.screen).toBe('missed')
    bench.event({ type: 'dismiss' })
    expect(bench.display.screen).toBe('idle')
  })

  it('sb/1 6.5, sb/1 11.1: counts a code down on the hub’s clock and removes it after its last second', () => {
    const bench = shop()
    bench.send('code', { code: CODE, exp: bench.hubNow + 2 })
    bench.wind(500)
    expect(bench.display).toMatchObject({ secondsLeft: 1 })
    expect(eventsIn(bench.wind(2_500))).toEqual([{ event: 'cleared', what: 'code', why: 'expired' }])
    expect(bench.display.screen).toBe('idle')
  })

  it('keeps the QR when another bill is paid', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    bench.announce('180000', {}, 'B-2')
    expect(bench.display.screen).toBe('qr')
  })

  it('removes the notice of missed payments after its time', () => {
    const bench = shop()
    bench.send('missed', { count: 1, amount: '1000' })
    bench.wind(MISSED_MS)
    expect(bench.display.screen).toBe('idle')
  })

  it('sb/1 7.23: shows the notice of missed payments for its whole time after the QR above it has gone', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 900 })
    bench.send('missed', { count: 1, amount: '1000' })
    bench.wind(MISSED_MS + 60_000)
    expect(bench.display.screen).toBe('qr')
    bench.send('clear', { what: 'qr' })
    bench.wind(MISSED_MS - 1)
    expect(bench.display.screen).toBe('missed')
    bench.wind(1)
    expect(bench.display.screen).toBe('idle')
  })

  it('sb/1 7.23: a newer sum of missed payments replaces the notice', () => {
    const bench = shop()
    bench.send('missed', { count: 1, amount: '1000' })
    bench.send('missed', { count: 3, amount: '7000' })
    expect(bench.display).toEqual({ screen: 'missed', count: 3, amount: '7000' })
  })

  it('sb/1 7.13: removes the QR with the registration', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    const left = bench.send('profile', { name: '', qr: '' })
    expect(eventsIn(left)).toContainEqual({ event: 'cleared', what: 'qr', why: 'unlinked' })
    expect(bench.display.screen).toBe('unregistered')
  })

  it('forgets the shop at a welcome without one', () => {
    const bench = shop()
    bench.lose()
    bench.connect(false)
    expect(bench.display.screen).toBe('unregistered')
  })
})

describe('a screen command', () => {
  it('sb/1 7.15: is acked received, then shown', () => {
    const bench = shop()
    const acks = acksIn(bench.send('code', { code: CODE, exp: bench.hubNow + 60 }, { n: 5 }))
    expect(acks).toEqual([
      { n: 5, st: 'received' },
      { n: 5, st: 'shown' },
    ])
  })

  it('that is not above the last one shown in this session is only acked', () => {
    const bench = shop()
    bench.send('code', { code: CODE, exp: bench.hubNow + 60 }, { n: 5 })
    bench.send('clear', { what: 'code' }, { n: 6 })
    const again = bench.send('code', { code: CODE, exp: bench.hubNow + 60 }, { n: 5 })
    expect(acksIn(again)).toEqual([{ n: 5, st: 'shown', dup: true }])
    expect(bench.display.screen).toBe('idle')
  })

  it('starts counting again in the next session', () => {
    const bench = shop()
    bench.send('code', { code: CODE, exp: bench.hubNow + 60 }, { n: 5 })
    bench.lose()
    bench.connect()
    const again = bench.send('code', { code: '111111', exp: bench.hubNow + 60 }, { n: 5 })
    expect(acksIn(again).at(-1)).toEqual({ n: 5, st: 'shown' })
    expect(bench.display).toMatchObject({ code: '111111' })
  })

  it.each([
    ['its ttl has passed', { at: -121, ttl: 120, exp: 60 }],
    ['what it shows has ended', { at: 0, ttl: 120, exp: -1 }],
  ])('fails as expired when %s', (_, { at, ttl, exp }) => {
    const bench = shop()
    const now = bench.hubNow
    const acks = acksIn(bench.send('code', { code: CODE, exp: now + exp }, { n: 5, at: now + at, ttl }))
    expect(acks).toEqual([{ n: 5, st: 'failed', rc: 'expired' }])
  })

  it('that clears an empty screen succeeds at once', () => {
    const effects = shop().send('clear', { what: 'qr' }, { n: 5 })
    expect(acksIn(effects).at(-1)).toEqual({ n: 5, st: 'shown' })
    expect(eventsIn(effects)).toEqual([])
  })
})
