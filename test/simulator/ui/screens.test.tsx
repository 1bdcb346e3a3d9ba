import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import type { Display } from '../../../simulator/device/display.ts'
import { View } from '../../../simulator/ui/view.tsx'
import type { ViewModel } from '../../../simulator/ui/view-model.ts'
import { DYNAMIC_QR, modelOf, SIZES, STATIC_QR } from './model.ts'

function frameOf(model: ViewModel): string {
  return renderToString(<View model={model} />, { columns: model.columns })
}

const BILL = { amount: '1250000', bill: 'NPS6869' }
const SCREENS: { display: Display; shows: string[] }[] = [
  {
    display: { screen: 'code', code: '048213', secondsLeft: 58 },
    shows: ['MÃ XÁC MINH', '██  ██', '048213', '58 giây'],
  },
  { display: { screen: 'paid', ...BILL }, shows: ['✓ ĐÃ THANH TOÁN', '1.250.000 ₫', 'NPS6869'] },
  {
    display: { screen: 'qr', qr: DYNAMIC_QR, ...BILL, secondsLeft: 299 },
    shows: ['1.250.000 ₫', 'NPS6869', '299 giây'],
  },
  {
    display: { screen: 'missed', count: 3, amount: '90000' },
    shows: ['! 3 KHOẢN ĐẾN MUỘN', '90.000 ₫', 'không đọc'],
  },
  { display: { screen: 'idle', name: 'Phở Bà Hạnh', qr: STATIC_QR }, shows: ['Phở Bà Hạnh'] },
  { display: { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' }, shows: ['Phở Bà Hạnh', 'Sẵn sàng nhận tiền'] },
  { display: { screen: 'unregistered' }, shows: ['CHƯA ĐĂNG KÝ'] },
  { display: { screen: 'connecting' }, shows: ['Đang kết nối'] },
  {
    display: { screen: 'no_network', reason: 'nothing answers at mqtt://127.0.0.1:1883' },
    shows: ['✕ MẤT KẾT NỐI', 'nothing answers'],
  },
]

describe.each(SIZES)('in a terminal of $columns x $rows', (size) => {
  it.each(SCREENS)('the screen $display.screen fits and says what it must', ({ display, shows }) => {
    const frame = frameOf(modelOf(size, display))
    const lines = frame.split('\n')
    expect(lines.length).toBeLessThanOrEqual(size.rows)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size.columns)
    for (const text of shows) expect(frame).toContain(text)
    expect(frame).toContain('q quit')
  })

  it('the newest lines of the log are the last', () => {
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }))
    expect(frame).toContain('happening 59')
    expect(frame.indexOf('happening 58')).toBeLessThan(frame.indexOf('happening 59'))
  })

  it('the sentence being spoken is written out beside the cone', () => {
    const sounding = {
      kind: 'sentence',
      n: 4,
      text: 'Đã nhận năm mươi nghìn đồng',
      said: 'Đã nhận năm',
      amount: '50000',
    } as const
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { speaker: { sounding } }))
    expect(frame).toMatch(/◁\)+ *Đã nhận năm mươi nghìn đồng/)
  })

  it('the help names every key', () => {
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { help: true }))
    for (const key of ['q switch', 'r end', 'x pull', 'd wave', '? show']) expect(frame).toContain(key)
  })

  it('the embedder’s lines, keys and footer have their place', () => {
    const extraLines = ['token granted', 'a device is registered']
    const extraKeys = [{ key: 'p', label: 'pay again' }]
    const frame = frameOf(
      modelOf(size, { screen: 'unregistered' }, { extraLines, extraKeys, footer: 'docs' }),
    )
    for (const text of ['token granted', 'a device is registered', 'p pay again'])
      expect(frame).toContain(text)
  })
})

describe('the state of the line', () => {
  it.each([
    [{ link: 'welcomed' as const }, '● connected'],
    [{ link: 'born' as const }, '○ waiting for welcome'],
    [{ link: 'offline' as const, retryInMs: 4_200 }, '✕ offline, next try in 5 s'],
    [{ link: 'offline' as const, retryInMs: 900_000 }, '✕ offline, next try in 15 min'],
    [{ link: 'offline' as const }, '✕ offline'],
  ])('%o reads %s', (speaker, text) => {
    expect(frameOf(modelOf(SIZES[1], { screen: 'connecting' }, { speaker }))).toContain(text)
  })

  it('is told large on the shop’s screen: its payments are not being spoken', () => {
    const display = { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' } as const
    const frame = frameOf(modelOf(SIZES[0], display, { speaker: { link: 'offline' } }))
    expect(frame).toContain('✕ MẤT KẾT NỐI · Loa không đọc được tiền đến')
  })
})

describe('odd terminals and settings', () => {
  it('the device’s language is that of its settings', () => {
    const speaker = { settings: { ver: 2, volume: 0, lang: 'en' as const } }
    const frame = frameOf(modelOf(SIZES[1], { screen: 'paid', ...BILL }, { speaker }))
    expect(frame).toContain('✓ PAID')
    expect(frame).toContain('Volume ▯▯▯▯▯▯▯▯▯▯ 0%')
  })

  it('one that is too small is told so', () => {
    expect(frameOf(modelOf({ columns: 39, rows: 24 }, { screen: 'connecting' }))).toContain('40x16')
  })
})
