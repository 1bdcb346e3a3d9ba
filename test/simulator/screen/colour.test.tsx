import { renderToString } from 'ink'
import { describe, expect, it, vi } from 'vitest'
import { View } from '../../../simulator/screen/view.tsx'
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

function frameOf(colour: boolean, screen: 'paid' | 'idle'): string {
  const display =
    screen === 'paid'
      ? ({ screen: 'paid', amount: '50000', bill: 'B-1' } as const)
      : ({ screen: 'idle', name: 'Phở', qr: STATIC_QR } as const)
  return renderToString(<View model={modelOf(SIZES[2], display, { colour, speaker })} />, { columns: 120 })
}

/** The texts in each colour, by its code. */
function tinted(frame: string): { code: string; text: string }[] {
  return [...frame.matchAll(new RegExp(`${ESC}\\[((?:3|9)\\d[;\\d]*)m([^${ESC}]*)`, 'gu'))]
    .map(([, code = '', text = '']) => ({ code, text: text.trim() }))
    .filter(({ code }) => code !== '39')
}

describe('colour', () => {
  it('is only on signs, and is green, red or magenta: legible on light and dark backgrounds', () => {
    const found = tinted(frameOf(true, 'paid'))
    expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['31', '32', '35']))
    expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining(['✓', '●', '✕', '▲', '⚠']))
    for (const { text } of found) expect([...text]).toHaveLength(1)
  })

  it('makes a QR black on white on every background', () => {
    expect(frameOf(true, 'idle')).toContain(`${ESC}[48;2;255;255;255m${ESC}[38;2;0;0;0m`)
  })

  it('is absent with NO_COLOR', () => {
    for (const screen of ['paid', 'idle'] as const) {
      expect(tinted(frameOf(false, screen))).toEqual([])
      expect(frameOf(false, screen)).not.toContain(`${ESC}[48`)
    }
  })
})
