import { describe, expect, it } from 'vitest'
import { MISSED_MS, PAYMENT_MS } from '../../../../simulator/speaker/device/screens.ts'
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
    expect(bench.display).toEqual({ screen: 'code', code: CODE, secondsLeft: 60, amount: '180000' })
    bench.send('clear', { what: 'code' })
    expect(bench.display.screen).toBe('paid')
    bench.wind(PAYMENT_MS)
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

  it.each([
    ['the static QR', {}, 'idle'],
    ['a bill’s QR', { qr: true }, 'qr'],
    ['the notice of missed payments', { missed: true }, 'missed'],
  ] as const)('shows the amount of a payment in front of %s, which comes back', (_, below, screen) => {
    const bench = shop()
    if ('qr' in below) bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    if ('missed' in below) bench.send('missed', { count: 1, amount: '1000' })
    bench.announce('50000')
    expect(bench.display).toEqual({ screen: 'payment', amount: '50000' })
    bench.wind(PAYMENT_MS - 1)
    expect(bench.display.screen).toBe('payment')
    bench.wind(1)
    expect(bench.display.screen).toBe(screen)
  })

  it('shows the amount of a payment beside a code, which nothing covers', () => {
    const bench = shop()
    bench.send('code', { code: CODE, exp: bench.hubNow + 60 })
    bench.announce('50000')
    expect(bench.display).toMatchObject({ screen: 'code', code: CODE, amount: '50000' })
    bench.wind(PAYMENT_MS)
    expect(bench.display).toEqual({ screen: 'code', code: CODE, secondsLeft: 54 })
  })

  it('keeps the amount as long as its sentence sounds', () => {
    const bench = new DeviceBench({ msPerClip: 3_000 })
    bench.connect()
    bench.announce('50000')
    bench.wind(5 * 3_000 - 1)
    expect(bench.display).toMatchObject({ screen: 'payment', amount: '50000' })
    bench.wind(1)
    expect(bench.display.screen).toBe('idle')
  })

  it('shows the amounts of payments in a row each with its own sentence', () => {
    const bench = shop()
    for (const amount of ['50000', '70000', '90000']) bench.announce(amount)
    const seen = new Set<string | undefined>()
    for (let ms = 0; ms < 20_000; ms += 100) {
      const { display } = bench
      seen.add('amount' in display ? display.amount : display.screen)
      bench.wind(100)
    }
    expect([...seen]).toEqual(['50000', '70000', '90000', 'idle'])
  })

  it('sb/1 7.12: says at once that the QR is paid, below the amount that is being spoken', () => {
    const bench = shop()
    bench.announce('50000')
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    bench.announce(QR.amount, {}, QR.bill)
    const paid = { amount: QR.amount, bill: QR.bill }
    expect(bench.display).toEqual({ screen: 'payment', amount: '50000', alsoPaid: paid })
    bench.wind(1_500)
    expect(bench.display).toEqual({ screen: 'paid', ...paid })
  })

  it('sb/1 6.6: a newer QR takes the place of an amount as soon as its sentence has ended', () => {
    const bench = shop()
    bench.announce('50000')
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    expect(bench.display.screen).toBe('payment')
    bench.wind(1_500)
    expect(bench.display.screen).toBe('qr')
    bench.announce('50000')
    bench.wind(1_500)
    expect(bench.display.screen).toBe('payment')
    bench.send('qr', { ...QR, bill: 'B-3', exp: bench.hubNow + 300 })
    expect(bench.display).toMatchObject({ screen: 'qr', bill: 'B-3' })
  })

  it('sb/1 7.13: shows no amount of a shop that it has left', () => {
    const bench = shop()
    bench.announce('50000')
    bench.announce('70000')
    bench.send('profile', { name: '', qr: '' })
    expect(bench.display.screen).toBe('unregistered')
    bench.wind(1_500)
    expect(bench.said).toMatch(/bảy/)
    expect(bench.display.screen).toBe('unregistered')
  })

  it('removes the notice of missed payments after its time', () => {
    const bench = shop()
    bench.send('missed', { count: 1, amount: '1000' })
    bench.wind(MISSED_MS)
    expect(bench.display.screen).toBe('idle')
  })

  it('sb/1 7.23: acks the notice as shown when nothing covers it any more, also at a repeat', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    const order = { n: 70, id: '01JD3Z8Q6X9V5T7M2K4N8P0R70' }
    const sum = { count: 2, amount: '3000' }
    const covered = bench.send('missed', sum, order)
    expect(acksIn(covered)).toEqual([{ n: 70, st: 'received' }])
    expect(eventsIn(covered)).toEqual([])
    expect(acksIn(bench.send('missed', sum, order))).toEqual([{ n: 70, st: 'received', dup: true }])
    bench.announce('50000')
    bench.send('clear', { what: 'qr' })
    const uncovered = bench.wind(PAYMENT_MS)
    expect(acksIn(uncovered)).toContainEqual({ n: 70, st: 'shown' })
    expect(eventsIn(uncovered)).toContainEqual({ event: 'missed', n: 70, ...sum })
    expect(acksIn(bench.send('missed', sum, order))).toEqual([{ n: 70, st: 'shown', dup: true }])
  })

  it('sb/1 7.23: a notice that nobody has seen can’t be dismissed', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    bench.send('missed', { count: 1, amount: '1000' })
    bench.event({ type: 'dismiss' })
    bench.send('clear', { what: 'qr' })
    expect(bench.display.screen).toBe('missed')
  })

  it('sb/1 7.23: adds up the time in which the notice is on the screen', () => {
    const bench = shop()
    bench.send('missed', { count: 1, amount: '1000' })
    bench.wind(MISSED_MS - 2_000)
    for (let payment = 0; payment < 3; payment += 1) {
      bench.announce('50000')
      bench.wind(PAYMENT_MS + 500)
      expect(bench.display.screen).toBe('missed')
    }
    bench.wind(499)
    expect(bench.display.screen).toBe('missed')
    bench.wind(1)
    expect(bench.display.screen).toBe('idle')
  })

  it('sb/1 7.23: a broken display shows no notice: it is acked after the repair', () => {
    const bench = shop()
    bench.send('qr', { ...QR, exp: bench.hubNow + 300 })
    bench.send('missed', { count: 1, amount: '1000' }, { n: 70 })
    bench.fault('broken-display')
    expect(acksIn(bench.send('clear', { what: 'code' }))).toEqual([
      expect.objectContaining({ rc: 'display_failed' }),
    ])
    expect(acksIn(bench.wind(400_000))).toEqual([])
    expect(acksIn(bench.fault('broken-display', false))).toEqual([{ n: 70, st: 'shown' }])
  })
})
