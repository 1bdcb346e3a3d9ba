import { expect, it } from 'vitest'
import type { DeviceLine } from '../../../simulator/firmware/device/device.ts'
import { deviceSource } from '../../../simulator/firmware/device/source.ts'
import { WoundClock } from '../support/wound-clock.ts'

const ON: DeviceLine = { event: 'power', on: true }
const SHOP: DeviceLine = { event: 'profile', name: 'Trà Sữa Mây', qr: 'a QR' }
const SENTENCE = 'Đã nhận năm mươi nghìn đồng'
const announce = (n: number): DeviceLine => ({
  ...{ event: 'announce', n, amount: '50000', currency: 'VND', lang: 'vi', text: SENTENCE },
})

function fed(...lines: DeviceLine[]) {
  const clock = new WoundClock()
  const source = deviceSource('SHOP-0042', clock)
  for (const line of lines) source.line(line)
  return { clock, source }
}

it.each<[string, DeviceLine[], object]>([
  ['nothing without power', [SHOP], { power: false, display: { screen: 'off' } }],
  ['that it connects', [ON], { power: true, link: 'connecting', display: { screen: 'connecting' } }],
  ['the shop', [ON, { event: 'connected', linked: true }, SHOP], { link: 'welcomed', shop: 'Trà Sữa Mây' }],
  [
    'the code',
    [ON, { event: 'code', code: '123456', exp: 0 }],
    { display: { screen: 'code', code: '123456' } },
  ],
  [
    'a payment with its sentence',
    [ON, SHOP, announce(7)],
    { display: { screen: 'payment', amount: '50000' }, played: 7, sounding: { text: SENTENCE } },
  ],
  [
    'that a bill is paid',
    [ON, SHOP, { event: 'paid', n: 7, bill: 'HD1', amount: '50000' }, announce(7)],
    { display: { screen: 'paid', bill: 'HD1' } },
  ],
  [
    'what was missed, and no more once the shop is gone',
    [ON, SHOP, { event: 'missed', count: 2, amount: '9000' }, { event: 'profile', name: '', qr: '' }],
    { linked: false, display: { screen: 'connecting' } },
  ],
  [
    'why there is no line, and when it tries again',
    [ON, { event: 'offline', reason: 'no answer', retryInMs: 4_000 }],
    { link: 'offline', offlineReason: 'no answer', retryInMs: 4_000, display: { screen: 'no_network' } },
  ],
  ['the volume of its buttons', [ON, { event: 'volume', volume: 90 }], { settings: { volume: 90 } }],
])('shows %s', (_, lines, expected) => {
  expect(fed(...lines).source.snapshot()).toMatchObject(expected)
})

it('shows the notice of missed payments until it was seen for ten minutes', () => {
  const { clock, source } = fed(ON, SHOP, { event: 'missed', count: 2, amount: '9000' })
  expect(source.snapshot().display).toMatchObject({ screen: 'missed', count: 2 })
  clock.wind(600_000)
  expect(source.snapshot().display).toMatchObject({ screen: 'idle' })
})

it('shows a payment for six seconds, and as long as it is spoken', () => {
  const { clock, source } = fed(ON, SHOP, announce(7))
  clock.wind(8_000)
  expect(source.snapshot().display).toMatchObject({ screen: 'payment' })
  source.line({ event: 'played', n: 7 })
  expect(source.snapshot()).toMatchObject({ sounding: undefined, display: { screen: 'idle' } })
})

it('forgets everything but the last number at a power cut', () => {
  const { source } = fed(ON, SHOP, announce(7), { event: 'power', on: false }, ON)
  expect(source.snapshot()).toMatchObject({ played: 7, linked: false, sounding: undefined })
})
