import { renderToString } from 'ink'
import { describe, expect, it, vi } from 'vitest'
import { View } from '../../../simulator/screen/view.tsx'
import type { Display } from '../../../simulator/speaker/device/display.ts'
import type { SpeakerSnapshot } from '../../../simulator/speaker/snapshot.ts'
import { modelOf, SIZES, STATIC_QR } from './model.ts'

// Ink chooses its colours when it is loaded: simulate a true-colour terminal.
vi.hoisted(() => vi.stubEnv('FORCE_COLOR', '3'))

const ESC = '\u001b'
const speaker = {
  faults: ['mute', 'broken-audio'],
  battery: 5,
  link: 'offline',
} as const satisfies Partial<SpeakerSnapshot>

function frameOf(colour: boolean, display: Display, change: Partial<SpeakerSnapshot> = speaker): string {
  const model = modelOf(SIZES[2], display, { colour, speaker: change })
  return renderToString(<View model={model} />, { columns: 120 })
}

interface Tinted {
  code: number
  text: string
  /** On a band of the colour, in the background's own. */
  isBand: boolean
}

/** The texts in each of the sixteen colours. */
function tinted(frame: string): Tinted[] {
  const found: Tinted[] = []
  let code = 39
  let isBand = false
  for (const [, parameters, text = ''] of frame.matchAll(
    new RegExp(`${ESC}\\[([\\d;]*)m|([^${ESC}]+)`, 'gu'),
  )) {
    const number = Number(parameters)
    if (parameters === undefined) {
      if (code !== 39 && text.trim() !== '') found.push({ code, text: text.trim(), isBand })
    } else if (number === 7 || number === 27) isBand = number === 7
    else if ((number >= 30 && number <= 39) || (number >= 90 && number <= 97)) code = number
  }
  return found
}

const PAID: Display = { screen: 'paid', amount: '50000', bill: 'B-1' }
const IDLE: Display = { screen: 'idle', name: 'Phở', qr: STATIC_QR }
const DISPLAYS: Display[] = [
  PAID,
  IDLE,
  { screen: 'payment', amount: '1250000' },
  { screen: 'missed', count: 2, amount: '90000' },
  { screen: 'no_network', reason: 'x' },
  { screen: 'unregistered' },
  { screen: 'code', code: '048213', secondsLeft: 58, amount: '50000' },
]
const sounding = { kind: 'sentence', n: 4, text: 'Đã nhận năm', said: 'Đã', amount: '50000' } as const

describe('colour', () => {
  it('is on signs, shapes and bands, never on words, and is green, red or magenta: legible on light and dark backgrounds', () => {
    const all = DISPLAYS.flatMap((display) => [
      ...tinted(frameOf(true, display)),
      ...tinted(frameOf(true, display, { sounding })),
    ]).filter(({ text }) => !/^[▀▄█ ]*$/.test(text) || text.length < 30)
    expect(new Set(all.map(({ code }) => code))).toEqual(new Set([31, 32, 35]))
    for (const { text, isBand } of all)
      if (!isBand) expect(text).toMatch(/^([●•▲△✕⚠✓!○→←()]+( [●•]+)*|[─│╭╮╰╯]+|[█▀▄ ]+)$/u)
    expect(all.filter(({ isBand }) => isBand).map(({ text }) => text)).toContain('✓ ĐÃ THANH TOÁN')
  })

  it.each([
    ['money', PAID, { link: 'welcomed' }, 32],
    ['a line that is down', IDLE, { link: 'offline' }, 31],
    ['something to look at', IDLE, { faults: ['broken-audio'] }, 35],
    ['nothing', IDLE, {}, undefined],
    ['no power', { screen: 'off' }, { power: false, link: 'offline' }, undefined],
  ] as const)('of the device means %s', (_, display, change, code) => {
    const [first] = frameOf(true, display, change).split('\n')
    const corner = new RegExp(`^(${ESC}\\[1m)?${ESC}\\[${code}m`)
    if (code === undefined) expect(first).toMatch(new RegExp(`^${ESC}\\[2m╭`))
    else expect(first).toMatch(corner)
  })

  it('makes a QR black on white on every background', () => {
    expect(frameOf(true, IDLE)).toContain(`${ESC}[48;2;255;255;255m${ESC}[38;2;0;0;0m`)
  })

  it('is absent with NO_COLOR', () => {
    for (const display of DISPLAYS) {
      expect(tinted(frameOf(false, display))).toEqual([])
      expect(frameOf(false, display)).not.toContain(`${ESC}[48`)
    }
  })
})
