import { expect, it } from 'vitest'
import { acksIn, DeviceBench, eventsIn } from '../../support/device-bench.ts'

const QR = { qr: '000201', amount: '180000', bill: 'B-1' }

it('sb/1 6.7: says that it is locked, and shows no QR until it is unlocked', () => {
  const bench = new DeviceBench()
  bench.connect()
  bench.send('profile', { name: 'Phở Hạnh', qr: '0002' })
  const exp = bench.hubNow + 300
  bench.send('qr', { ...QR, exp })
  const gone = eventsIn(bench.send('profile', { name: 'Phở Hạnh', qr: '', locked: true }))
  expect(gone).toContainEqual({ event: 'cleared', what: 'qr', why: 'locked' })
  expect(bench.display).toEqual({ screen: 'locked', name: 'Phở Hạnh' })
  expect(acksIn(bench.send('qr', { ...QR, exp }))).toMatchObject([{ st: 'failed', rc: 'not_ready' }])
  expect(bench.display.screen).toBe('locked')
  bench.send('missed', { count: 2, amount: '3000' })
  expect(bench.display.screen).toBe('missed')
  bench.event({ type: 'dismiss' })
  bench.lose()
  expect(bench.display.screen).toBe('locked')
  bench.connect()
  expect(bench.display.screen).toBe('locked')
  bench.send('profile', { name: 'Phở Hạnh', qr: '0002' })
  expect(bench.display.screen).toBe('idle')
  bench.send('qr', { ...QR, exp })
  expect(bench.display.screen).toBe('qr')
})
