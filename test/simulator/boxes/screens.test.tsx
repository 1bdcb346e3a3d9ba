import { renderToString } from 'ink'
import { render } from 'ink-testing-library'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Box } from '../../../simulator/boxes/box.ts'
import { BOX_KINDS, type BoxKind, FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { BoxApp } from '../../../simulator/boxes/screen/app.tsx'
import { logLine } from '../../../simulator/boxes/screen/log-text.ts'
import type { BoxModel, Overlay } from '../../../simulator/boxes/screen/model.ts'
import { BoxView } from '../../../simulator/boxes/screen/view.tsx'
import { cellsOf } from '../../../simulator/screen/drawing/text.ts'
import { eventually } from '../../support/wait.ts'
import { DYNAMIC_QR } from '../screen/model.ts'
import { BoxBench, configOf } from './bench.ts'

const SIZES = [
  { columns: 60, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
]

function frameOf(kind: BoxKind, bench: BoxBench, change: Partial<BoxModel>): string {
  const model: BoxModel = {
    ...{ columns: 80, rows: 24, colour: false, log: [], overlay: 'none', firmware: FIRMWARE[kind] },
    snapshot: { power: true, plugged: true, state: bench.state, nowMs: bench.nowMs },
    ...change,
  }
  return renderToString(<BoxView model={model} />, { columns: model.columns })
}

const hemi = (packet_type: string, content: object) => ({ message_id: packet_type, packet_type, content })
const bill = hemi('wait_payment', {
  ...{ amount_due: 1_250_000, order_id: 'NPS6869', payment_timeout: 60 },
  screen_content_config: {
    wait_payment_screen_qrcode_1_config: { txt: DYNAMIC_QR },
    wait_payment_screen_label_3_config: { txt: '1.250.000 VND' },
  },
})
const code = hemi('wait_payment', {
  ...{ amount_due: 0, order_id: 'V', payment_timeout: 300 },
  screen_content_config: { wait_payment_screen_label_3_config: { txt: '048213' } },
})
const home = hemi('set_device_info', {
  screen_content_config: { main_screen_label_1_config: { txt: 'Pho Ba Hanh' } },
})

const PICTURES: { kind: BoxKind; about: string; act: (bench: BoxBench) => void; shows: string[] }[] = [
  { kind: 'hemipay', about: 'idle', act: () => {}, shows: ['Sẵn sàng nhận tiền', '4   5   6', '● online'] },
  { kind: 'hemipay', about: 'home', act: (bench) => bench.hear(home), shows: ['Pho Ba Hanh'] },
  { kind: 'hemipay', about: 'a bill', act: (bench) => bench.hear(bill), shows: ['1.250.000 VND · còn 1:00'] },
  {
    kind: 'hemipay',
    about: 'a code',
    act: (bench) => bench.hear(code),
    shows: ['MÃ XÁC MINH', '█', '048213 · còn 5:00'],
  },
  {
    kind: 'hemipay',
    about: 'a payment',
    act: (bench) => bench.hear(hemi('payment', { play_payment_amount: 50_000 })),
    shows: ['✓ ĐÃ NHẬN TIỀN', '50.000 đ', '#1 Đã nhận năm mươi'],
  },
  {
    kind: 'hemipay',
    about: 'typing',
    act: (bench) => bench.keys('5', '000'),
    shows: ['Số tiền cần thu', '5.000 đ', '↵ gửi'],
  },
  {
    kind: 'hemipay',
    about: 'asking',
    act: (bench) => bench.keys('5', '000', 'enter'),
    shows: ['Đang kết nối…', '5.000 đ'],
  },
  {
    kind: 'hemipay',
    about: 'offline',
    act: (bench) => bench.act({ type: 'closed', reason: 'nothing answers', retryInMs: 5_000 }),
    shows: ['✕ MẤT KẾT NỐI', 'nothing answers', 'Thử lại sau 5 giây', '✕ offline'],
  },
  {
    kind: 'clip-numbers',
    about: 'a payment',
    act: (bench) => bench.hear({ playAudibleMsg: '119-105-111-116-120', amount: '50000' }),
    shows: ['█', '•', '#1 Đã nhận năm mươi nghìn đồng'],
  },
  {
    kind: 'morefun',
    about: 'an order',
    act: (bench) => bench.hear({ order_sn: DYNAMIC_QR, money: '50000' }),
    shows: ['50000'],
  },
  {
    kind: 'openluat',
    about: 'broken',
    act: (bench) => bench.act({ type: 'fault', fault: 'no-puback', on: true }),
    shows: ['silent', '•', '▲ no-puback', 'Air780E'],
  },
  { kind: 'ds50', about: 'idle', act: () => {}, shows: ['•', 'Dspread DS50'] },
  { kind: 'alink', about: 'idle', act: () => {}, shows: ['•', 'Alink', 'silent'] },
]

describe.each(SIZES)('in a terminal of $columns x $rows', (size) => {
  it.each(PICTURES)('$kind: $about', ({ kind, act, shows }) => {
    const bench = new BoxBench(kind).online()
    act(bench)
    const frame = frameOf(kind, bench, size)
    for (const text of [...shows, 'BOX-0001', 'q quit']) expect(frame).toContain(text)
    const rows = frame.split('\n')
    expect(rows).toHaveLength(size.rows)
    for (const row of rows) expect(cellsOf(row)).toBeLessThanOrEqual(size.columns)
  })

  it.each(['none', 'faults', 'qr'] as Overlay[])('without power, with %s open', (overlay) => {
    const bench = new BoxBench('hemipay').online()
    bench.hear(bill)
    const snapshot = { power: false, plugged: true, state: bench.state, nowMs: bench.nowMs }
    const frame = frameOf('hemipay', bench, { ...size, overlay, snapshot })
    expect(frame).toContain(
      { none: '○ no power', faults: 'dies-before-reply', qr: 'there is no QR' }[overlay],
    )
    expect(frame).not.toContain('1.250.000')
  })
})

describe('a QR', () => {
  it('is drawn on a large display, and alone in a small terminal', () => {
    const bench = new BoxBench('hemipay').online()
    bench.hear(bill)
    const isDrawn = (change: Partial<BoxModel>) => frameOf('hemipay', bench, change).includes('▀▀▀▀▀▀▀')
    expect(isDrawn({ columns: 120, rows: 40 })).toBe(true)
    expect(isDrawn({})).toBe(false)
    expect(frameOf('hemipay', bench, {})).toContain('(z: the QR alone)')
    expect(isDrawn({ overlay: 'qr' })).toBe(true)
  })

  it('says which terminal it needs', () => {
    const bench = new BoxBench('hemipay').online()
    bench.hear(bill)
    expect(frameOf('hemipay', bench, { columns: 60, rows: 20, overlay: 'qr' })).toContain('needs 47x24')
    expect(frameOf('hemipay', bench, { columns: 39, rows: 20 })).toContain('needs a terminal of 40x20')
  })
})

it('the display has the language of the box', () => {
  const bench = new BoxBench('hemipay', { lang: 'en' }).online()
  expect(frameOf('hemipay', bench, {})).toContain('Ready for payments')
  bench.hear(hemi('payment', { play_payment_amount: 50_000 }))
  expect(frameOf('hemipay', bench, {})).toContain('#1 Received fifty thousand dong')
})

it('the log has no envelope and no control characters', () => {
  const packet = { direction: 'in', packet: 'publish', topic: '/LLZN/X', qos: 1 } as const
  const line = (payload: string) => logLine({ atMs: 0, kind: 'packet', packet: { ...packet, payload } })
  expect(line('{"message_id":"1","packet_type":"payment","content":{"play_payment_amount":1}}')).toBe(
    '00:00 ← payment play_payment_amount:1',
  )
  const puback = (direction: 'in' | 'out') =>
    logLine({ atMs: 0, kind: 'packet', packet: { direction, packet: 'puback' } })
  expect([puback('out'), puback('in')]).toEqual(['00:00 → puback', undefined])
  expect(line('\u001b[2J')).toBe('00:00 ← X ␛[2J')
})

describe('the keys', () => {
  it('type an amount, break, unplug, switch off and quit', async () => {
    const box = new Box({
      ...{ firmware: FIRMWARE.hemipay, config: configOf(), url: 'mqtt://127.0.0.1:1' },
    })
    onTestFinished(() => box.stop())
    let quits = 0
    const screen = render(
      <BoxApp box={box} colour={false} onQuit={() => (quits += 1)} size={{ columns: 80, rows: 24 }} />,
    )
    onTestFinished(() => screen.unmount())
    const shows = (text: string) => eventually(() => expect(screen.lastFrame()).toContain(text))
    await shows('q quit')
    const press = (keys: string) => screen.stdin.write(keys)
    press('125')
    await shows('125 đ')
    press('\u007f')
    await shows('12 đ')
    press('c')
    await eventually(() => expect(screen.lastFrame()).not.toContain('12 đ'))
    press('b')
    await shows('a to i')
    press('a')
    await shows('▲ on   no-puback')
    press('\u001b')
    await shows('▲ no-puback')
    press('o')
    await shows('○ no power')
    press('x')
    press('o')
    await shows('the network is cut')
    expect(box.snapshot().state.link).toMatchObject({ phase: 'offline', retryAtMs: undefined })
    press('q')
    await eventually(() => expect(quits).toBe(1))
  })
})

it('every kind has a picture', () => {
  expect(new Set(PICTURES.map(({ kind }) => kind))).toEqual(new Set(BOX_KINDS))
})
