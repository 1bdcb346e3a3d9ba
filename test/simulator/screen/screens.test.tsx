import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { LOG_KEYS } from '../../../simulator/screen/keys/log-keys.ts'
import { View } from '../../../simulator/screen/view.tsx'
import type { ViewModel } from '../../../simulator/screen/view-model.ts'
import type { Display } from '../../../simulator/speaker/device/display.ts'
import { DYNAMIC_QR, modelOf, packetOf, SIZES, STATIC_QR } from './model.ts'

function frameOf(model: ViewModel): string {
  return renderToString(<View model={model} />, { columns: model.columns })
}

const BILL = { amount: '1250000', bill: 'NPS6869' }
const SCREENS: { display: Display; shows: string[] }[] = [
  {
    display: { screen: 'code', code: '048213', secondsLeft: 58 },
    shows: ['MÃ XÁC MINH', '█  █', '048213', 'còn 0:58'],
  },
  {
    display: { screen: 'paid', ...BILL },
    shows: ['✓ ĐÃ THANH TOÁN', '1.250.000 đ', 'NPS6869'],
  },
  { display: { screen: 'payment', amount: '50000' }, shows: ['✓ ĐÃ NHẬN TIỀN', '50.000 đ'] },
  {
    display: { screen: 'payment', amount: '50000', alsoPaid: BILL },
    shows: ['✓ ĐÃ NHẬN TIỀN', '50.000 đ', 'ĐÃ THANH TOÁN: 1.250.000 đ'],
  },
  {
    display: { screen: 'code', code: '048213', secondsLeft: 58, amount: '50000' },
    shows: ['✓ ĐÃ NHẬN TIỀN 50.000 đ', 'MÃ XÁC MINH 048213', 'còn 0:58'],
  },
  {
    display: { screen: 'qr', qr: DYNAMIC_QR, ...BILL, secondsLeft: 299 },
    shows: ['1.250.000 đ', 'NPS6869', 'còn 4:59'],
  },
  {
    display: { screen: 'missed', count: 3, amount: '90000' },
    shows: ['! 3 KHOẢN CHƯA ĐƯỢC ĐỌC', '90.000 đ', 'không đọc', '▲ missed', 'd dismiss'],
  },
  { display: { screen: 'idle', name: 'Phở Bà Hạnh', qr: STATIC_QR }, shows: ['Phở Bà Hạnh'] },
  { display: { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' }, shows: ['Phở Bà Hạnh', 'Sẵn sàng nhận tiền'] },
  { display: { screen: 'locked', name: 'Phở' }, shows: ['■ LOA ĐANG BỊ KHOÁ', 'mở khoá', '▲ locked'] },
  { display: { screen: 'unregistered' }, shows: ['○ CHƯA ĐĂNG KÝ', 'Hãy đăng ký'] },
  { display: { screen: 'connecting' }, shows: ['Đang kết nối'] },
  {
    display: { screen: 'no_network', reason: 'nothing answers' },
    shows: ['✕ MẤT KẾT NỐI', 'Loa không đọc được tiền đến'],
  },
]

describe.each(SIZES)('in a terminal of $columns x $rows', (size) => {
  it.each(SCREENS)(
    'the display $display.screen shows its texts, with and without colour',
    ({ display, shows }) => {
      for (const colour of [false, true]) {
        const frame = frameOf(modelOf(size, display, { colour }))
        for (const text of shows) expect(frame).toContain(text)
        for (const text of ['SPK-0001', '▂▄▆█ -55', '[▮▮▮▮] 100%', '● power', '● online', '● shop'])
          expect(frame).toContain(text)
        expect(frame).toContain('▮▮▮▮▮▮▮▮▯▯ 80%')
        expect(frame).toContain('last #3')
        expect(frame).toContain('q quit')
      }
    },
  )

  it.each([
    { faults: ['mute'] },
    { faults: ['broken-audio'] },
    { settings: { ver: 1, volume: 0, lang: 'vi' } },
  ] as const)('a speaker that nobody can hear is not ready for payments: %j', (speaker) => {
    const frame = frameOf(modelOf(size, { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' }, { speaker }))
    expect(frame).not.toContain('Sẵn sàng')
    expect(frame).toContain('Loa không đọc được tiền đến')
  })

  it('a display without power is dark, and the device says why', () => {
    const frame = frameOf(modelOf(size, { screen: 'off' }, { speaker: { power: false, link: 'offline' } }))
    expect(frame).toContain('✕ no power')
    expect(frame).toMatch(/no power: the screen/)
    expect(frame).toContain('o switches it on')
    expect(frame).not.toContain('● online')
    const recorded = modelOf(size, { screen: 'off' }, { controls: false, speaker: { power: false } })
    expect(frameOf(recorded)).not.toContain('switches it on')
  })

  it('a fault is named beside every screen', () => {
    for (const { display } of SCREENS.filter(({ display }) => display.screen !== 'qr')) {
      const frame = frameOf(modelOf(size, display, { speaker: { faults: ['slow-link', 'broken-audio'] } }))
      expect(frame).toContain('⚠ slow link · broken audio')
      expect(frame).toContain('▲ no sound')
    }
  })

  it('a broken display shows nothing readable, and the device says so', () => {
    const display = { screen: 'code', code: '048213', secondsLeft: 58 } as const
    const frame = frameOf(modelOf(size, display, { speaker: { faults: ['broken-display', 'mute'] } }))
    expect(frame).not.toContain('048213')
    expect(frame).not.toContain('█  █')
    expect(frame).toContain('▒▒▒')
    expect(frame).toContain('⚠ broken display · mute')
    expect(frame).toContain('▲ no screen')
    expect(frame).toContain('✕ muted')
    const qr = { screen: 'qr', qr: STATIC_QR, ...BILL, secondsLeft: 299 } as const
    const dead = frameOf(modelOf(size, qr, { speaker: { faults: ['broken-display'] } }))
    expect(dead).not.toContain('▀▀█ █▀▀')
    expect(dead).not.toContain('NPS6869')
    expect(dead).toContain('⚠ broken display')
  })

  it('the newest lines of the log come last', () => {
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }))
    expect(frame).toContain('played #59')
    expect(frame.indexOf('played #58')).toBeLessThan(frame.indexOf('played #59'))
  })

  it('the log shows direction, type, number, stage and size', () => {
    const log = [
      packetOf('in', 'x'.repeat(216), { t: 'announce', n: 42 }),
      packetOf('out', 'x'.repeat(131), { t: 'ack', n: 42, stage: 'played' }),
    ]
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { log }))
    expect(frame).toMatch(/← announce +#42 +216 B/)
    expect(frame).toMatch(/→ ack +(#42 +played|played +#42) +131 B/)
  })

  it('the sentence appears as it is spoken, while the cone moves', () => {
    const text = 'Đã nhận năm mươi nghìn đồng'
    const sounding = { kind: 'sentence', n: 4, text, said: 'Đã nhận năm', amount: '50000' } as const
    const at = (beat: number) =>
      frameOf(modelOf(size, { screen: 'unregistered' }, { beat, speaker: { sounding, waiting: 2 } }))
    expect(at(0)).toContain('#4 Đã nhận năm')
    expect(at(0)).toContain('2 waiting')
    expect(at(0)).not.toBe(at(1))
    expect(at(1)).not.toBe(at(2))
  })

  it('a beep is shown, too', () => {
    const frame = frameOf(
      modelOf(size, { screen: 'unregistered' }, { speaker: { sounding: { kind: 'beep' } } }),
    )
    expect(frame).toContain('Beep!')
  })

  it('the help names every key in its group, including the embedder’s', () => {
    const extraKeys = [{ key: 'p', label: 'pay again' }]
    const page = { key: 'k', label: 'keys', lines: [] }
    const help = { extraKeys, page, ui: { overlay: 'help' } } as const
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, help))
    for (const text of ['here     p  pay again', 'k  keys']) expect(frame).toContain(text)
    for (const text of ['speaker  d  dismiss', 'o  cut', 'line     x  pull', 'r  end', 'faults   b  switch'])
      expect(frame).toContain(text)
    for (const text of [
      'view     ?  show',
      'q  quit',
      'i  invert',
      'z  the QR',
      'f  the raw',
      'log      l  read the log',
      '/  search',
    ])
      expect(frame).toContain(text)
    expect(frame).toMatch(/→ +sent +← received +• happened/)
  })

  it.each(['space', 'x'])('the help aligns every text beside the key "%s"', (key) => {
    const extraKeys = [{ key, label: 'pause', help: 'pause, or go on' }]
    const frame = frameOf(
      modelOf(SIZES[2], { screen: 'unregistered' }, { extraKeys, ui: { overlay: 'help' } }),
    )
    const rows = frame.split('\n')
    const at = (text: string) => rows.find((row) => row.includes(text))?.indexOf(text)
    expect(at('pause, or go on')).toBeDefined()
    expect(at('pause, or go on')).toBe(at('volume up by 10'))
  })

  it('the help says when a larger terminal shows more', () => {
    const small = { columns: 40, rows: 16 }
    const help = { ui: { overlay: 'help' } } as const
    expect(frameOf(modelOf(small, { screen: 'unregistered' }, help))).toContain('… more in a larger terminal')
    expect(frameOf(modelOf(SIZES[2], { screen: 'unregistered' }, help))).not.toContain('larger terminal')
  })

  it('a frame’s title has its time in a narrow pane, too', () => {
    const packet = packetOf('out', '{}', { n: 1234, stage: 'received' })
    const log = Array.from({ length: 400 }, () => ({ ...packet }))
    const frame = frameOf(modelOf(SIZES[1], { screen: 'unregistered' }, { log, ui: { overlay: 'frame' } }))
    expect(frame).toMatch(/→ ack #1234 · 2 B · \d\d:\d\d:\d\d /)
    expect(frame).toContain('400 of 400')
  })

  it('an empty log says that it starts now', () => {
    expect(frameOf(modelOf(SIZES[1], { screen: 'unregistered' }, { log: [] }))).toContain('from now on')
    expect(frameOf(modelOf(SIZES[1], { screen: 'unregistered' }))).not.toContain('from now on')
  })

  it('the zoom key says why it does nothing', () => {
    const qr = { screen: 'qr', qr: DYNAMIC_QR, amount: '180000', bill: 'B-1', secondsLeft: 60 } as const
    const size = { columns: 100, rows: 22 }
    expect(frameOf(modelOf(size, qr, { controls: false }))).toContain('z QR needs 49x26, here 100x22')
  })

  it('the help of the log names every key, in one word where there is no room for more', () => {
    for (const given of [size, { columns: 40, rows: 16 }]) {
      const lines = frameOf(
        modelOf(given, { screen: 'unregistered' }, { ui: { overlay: 'log help' } }),
      ).split('\n')
      for (const { key, label, help } of LOG_KEYS)
        expect(
          lines.some(
            (line) => line.includes(` ${key} `) && (line.includes(label) || line.includes(help.slice(0, 12))),
          ),
        ).toBe(true)
    }
  })

  it('the help of a recording has no control keys', () => {
    const frame = frameOf(
      modelOf(size, { screen: 'unregistered' }, { controls: false, ui: { overlay: 'help' } }),
    )
    for (const text of ['wave', 'take its', 'pull', 'anew', 'break']) expect(frame).not.toContain(text)
    expect(frame).toContain('f  the raw')
  })

  it('the list of faults shows each with its letter and state', () => {
    const speaker = { faults: ['broken-audio' as const] }
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { speaker, ui: { overlay: 'faults' } }))
    for (const text of ['a  ○ off  slow link', 'e  ▲ on   broken audio', 'j  ○ off  forgets played', '1 on'])
      expect(frame).toContain(text)
    // The device stays visible and shows the fault.
    for (const text of ['⚠ broken audio', '▲ no sound', '♪ ▮▮▮▮▮▮▮▮▯▯ 80%', 'CHƯA ĐĂNG KÝ'])
      expect(frame).toContain(text)
  })

  it('a frame is shown with its fields and as sent', () => {
    const raw = '{"t":"announce","n":42,"mac":"abcdefghijklmnopqrstuv"}'
    const log = [packetOf('in', raw, { t: 'announce', n: 42 }), packetOf('out', '{"st":"played"}', { n: 42 })]
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { log, ui: { overlay: 'frame' } }))
    for (const text of ['→ ack #42 · 15 B', '2 of 2', '"st": "played"', 'as it passed:', '{"st":"played"}'])
      expect(frame).toContain(text)
    const none = frameOf(modelOf(size, { screen: 'unregistered' }, { log: [], ui: { overlay: 'frame' } }))
    expect(none).toContain('No packet')
  })

  it('a frame that is longer than the terminal says which rows are visible', () => {
    const log = [packetOf('in', 'x'.repeat(2048))]
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, { log, ui: { overlay: 'frame' } }))
    expect(frame).toMatch(/rows 1 to \d+ of \d+|x{20}/)
    expect(frame).toContain('PgUp PgDn scroll')
  })

  it('the embedder’s lines, keys, page and footer are shown', () => {
    const extraLines = ['token granted', 'a device is registered']
    const extraKeys = [{ key: 'p', label: 'pay again' }]
    const page = { key: 'k', label: 'keys', lines: ['curl -s $HUB'] }
    const extra = { extraLines, extraKeys, page, footer: 'docs' }
    const frame = frameOf(modelOf(size, { screen: 'unregistered' }, extra))
    for (const text of [
      'token granted',
      'a device is registered',
      'p pay again · k keys · ? more keys · q quit',
      '· docs',
    ])
      expect(frame).toContain(text)
    const opened = frameOf(modelOf(size, { screen: 'unregistered' }, { ...extra, ui: { overlay: 'page' } }))
    expect(opened.split('\n')[0]).toMatch(/^curl -s \$HUB *$/)
  })
})

describe('odd terminals and settings', () => {
  it('the display uses the language of its settings; everything around it is English', () => {
    const display = { screen: 'paid', ...BILL } as const
    const speaker = { settings: { ver: 2, volume: 0, lang: 'en' as const } }
    const frame = frameOf(modelOf(SIZES[1], display, { speaker }))
    expect(frame).toContain('✓ PAID')
    expect(frame).toContain('✕ muted ▯▯▯▯▯▯▯▯▯▯ 0%')
    expect(frameOf(modelOf(SIZES[1], display))).toContain('● online')
  })

  it('a name of wide characters is cut between characters, and the frame stays intact', () => {
    const name = '奶茶店'.repeat(30)
    const frame = frameOf(modelOf(SIZES[1], { screen: 'idle', name, qr: STATIC_QR }))
    expect(frame).toContain('奶茶店')
    expect(frame).toContain('Quét mã để trả tiền')
  })

  it('a terminal below the comfortable size says what is missing', () => {
    const frame = frameOf(
      modelOf({ columns: 40, rows: 16 }, { screen: 'code', code: '048213', secondsLeft: 58 }),
    )
    for (const text of ['(the protocol needs 19 rows)', '█  █', '048213', '● online'])
      expect(frame).toContain(text)
  })

  it('a terminal that is too small says so', () => {
    const frame = frameOf(modelOf({ columns: 39, rows: 24 }, { screen: 'connecting' }))
    expect(frame.replace(/\s+/g, ' ')).toContain('needs a terminal of 40x16 or more; this one is 39x24.')
  })
})
