import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  batteryText,
  faultsIndicator,
  lightsOf,
  signalText,
  statusLines,
} from '../../../simulator/screen/device/indicators.ts'
import { drawDigits } from '../../../simulator/screen/drawing/digits.ts'
import { footerText } from '../../../simulator/screen/keys/footer.tsx'
import { actionOf, KEYS, offeredKeys, pressName } from '../../../simulator/screen/keys/keys.ts'
import { frameLines } from '../../../simulator/screen/log/frame-lines.ts'
import { linesOf, logHeader } from '../../../simulator/screen/log/lines.ts'
import { type Filter, logRow } from '../../../simulator/screen/log/rows.ts'
import { canDraw } from '../../../simulator/screen/terminal.ts'
import type { FeedItem } from '../../../simulator/speaker/feed.ts'
import { readmeOf } from '../support/readme.ts'
import { snapshotOf } from './model.ts'

describe('large digits', () => {
  it.each([
    ['huge', 10, 92],
    ['big', 7, 58],
    ['large', 5, 46],
    ['medium', 4, 34],
    ['small', 3, 23],
  ] as const)(
    'that are %s: %i rows, six of them %i columns, and no two look alike',
    (size, height, width) => {
      const rows = drawDigits('048213', size)
      expect(rows).toHaveLength(height)
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => width))
      expect(new Set([...'0123456789'].map((digit) => drawDigits(digit, size).join('\n'))).size).toBe(10)
    },
  )
})

describe('keys', () => {
  const context = { controls: true, qr: true, missed: true, colour: false }

  it('are distinct, and leave the demo’s "p" and "k" free', () => {
    const keys: string[] = KEYS.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).not.toContain('p')
    expect(keys).not.toContain('k')
  })

  it('are in the README', () => {
    const [, table = ''] = readmeOf('simulator').split('### Keys')
    for (const { key } of KEYS) expect(table).toContain(`\`${key}\``)
  })

  it('are offered when they work', () => {
    const offered = (change: Partial<typeof context>) =>
      offeredKeys({ ...context, ...change }).map(({ key }) => key)
    expect(offered({})).toEqual(KEYS.map(({ key }) => key))
    expect(offered({ controls: false })).toEqual(['?', 'q', 'l', '/', 'i', 'z', 'f'])
    expect(offered({ missed: false })).not.toContain('d')
    expect(offered({ qr: false })).not.toContain('z')
    expect(offered({ colour: true })).not.toContain('i')
  })

  it('act only when they are offered; Ctrl+C always quits', () => {
    expect(actionOf('r', context)).toBe('reconnect')
    expect(actionOf('r', { ...context, controls: false })).toBeUndefined()
    expect(actionOf('ctrl+c', context)).toBe('quit')
  })

  it.each([
    ['c', { ctrl: true }, 'ctrl+c'],
    ['q', { ctrl: true }, undefined],
    ['q', { meta: true }, undefined],
    ['', { escape: true, meta: true }, 'escape'],
    ['', { upArrow: true }, 'up'],
    ['', { pageDown: true }, 'page down'],
    ['', { home: true }, 'home'],
    ['', { end: true }, 'end'],
    ['', { backspace: true }, 'backspace'],
    ['', { delete: true }, 'backspace'],
    ['q', {}, 'q'],
  ])('%o with %o is called %s', (input, key, name) => expect(pressName(input, key)).toBe(name))

  it('are complete in the footer, as many as fit beside its text', () => {
    const keys = [
      { key: 'q', label: 'quit' },
      { key: 'r', label: 'reconnect' },
    ]
    expect(footerText(keys, '', 20)).toBe('q quit · r reconnect')
    expect(footerText(keys, '', 19)).toBe('q quit')
    expect(footerText(keys, 'docs', 20)).toBe('q quit · docs')
  })

  it('always include help and exit in the footer', () => {
    const [first, help, out] = [
      { key: 'space', label: 'pause' },
      { key: '?', label: 'help' },
      { key: 'q', label: 'quit' },
    ]
    expect(footerText([first, help, out], '▶ 0:42 / 3:05', 36)).toBe('? more keys · q quit · ▶ 0:42 / 3:05')
    expect(footerText([first, help, out], '▶ 0:42 / 3:05', 27)).toBe('? more keys · q quit · ▶ 0…')
    expect(footerText([first, help, out], '▶ 0:42 / 3:05', 20)).toBe('? more keys · q quit')
    expect(footerText([first, help, out], '', 31)).toBe('space pause · ? help · q quit')
  })

  it('in the footer are never cut, at any width from 40 and in every context', () => {
    const contexts = fc.record({
      ...{ controls: fc.boolean(), qr: fc.boolean(), missed: fc.boolean(), colour: fc.boolean() },
    })
    const extra = fc.constantFrom(
      [],
      [
        { key: 'p', label: 'pay again' },
        { key: 'k', label: 'keys' },
      ],
    )
    fc.assert(
      fc.property(contexts, extra, fc.integer({ min: 40, max: 220 }), (given, extraKeys, columns) => {
        const keys = [...extraKeys, ...offeredKeys(given)].map(({ key, label }) => `${key} ${label}`)
        const text = footerText([...extraKeys, ...offeredKeys(given)], '', columns)
        expect(text.length).toBeLessThanOrEqual(columns)
        const parts = text.split(' · ')
        const known = [...keys, '? more keys']
        expect(parts.filter((part) => !known.includes(part))).toEqual([])
        expect(parts.includes('? help')).toBe(parts.length === keys.length)
      }),
    )
  })

  it('come in the order of their weight in the small terminals', () => {
    const keys = [
      { key: 'p', label: 'pay again' },
      { key: 'k', label: 'keys' },
      ...offeredKeys({ ...context, qr: false, missed: false }),
    ]
    expect(footerText(keys, '', 58)).toBe('p pay again · k keys · ? more keys · q quit · b break')
    expect(footerText(keys, '', 78)).toBe(
      'p pay again · k keys · ? more keys · q quit · b break · x cable · o on/off',
    )
  })
})

describe('gauges', () => {
  it.each([
    [-45, '▂▄▆█ -45 dBm'],
    [-60, '▂▄▆█ -60 dBm'],
    [-61, '▂▄▆· -61 dBm'],
    [-85, '▂··· -85 dBm'],
    [-95, '···· -95 dBm'],
  ])('a signal of %i dBm is shown as %s', (signal, text) =>
    expect(signalText(snapshotOf({ screen: 'unregistered' }, { signal }))).toBe(text),
  )

  it.each([
    [100, '[▮▮▮▮] 100%'],
    [60, '[▮▮▯▯] 60%'],
    [20, '[▮▯▯▯] 20% low'],
    [3, '[▯▯▯▯] 3% low'],
    [0, '[▯▯▯▯] 0% empty'],
  ])('a battery of %i%% is shown as %s', (percent, text) => expect(batteryText(percent)).toBe(text))

  it('faults are named, many of them after their count', () => {
    expect(faultsIndicator([])).toBeUndefined()
    expect(faultsIndicator(['slow-link', 'broken-audio'])).toMatchObject({
      sign: '⚠',
      word: 'slow link · broken audio',
    })
    expect(faultsIndicator(['slow-link', 'drop-acks', 'mute', 'wrong-clock'])?.word).toMatch(
      /^4 faults: slow link/,
    )
  })
})

describe('the log', () => {
  const message = { topic: 'ack', t: 'ack', n: 4, stage: 'failed', bytes: 120, frame: '' } as const
  const failed: FeedItem = {
    atMs: 0,
    kind: 'packet',
    note: { direction: 'out', packet: 'publish', message: { ...message, rc: 'display_failed' } },
  }
  const ping: FeedItem = { atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'pingresp' } }
  const connack: FeedItem = { atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'connack' } }
  const spoken: FeedItem = {
    atMs: 0,
    kind: 'event',
    event: { event: 'broken', reason: 'the memory is gone' },
  }
  const shown = (item: FeedItem, columns: number, filter?: Filter) => {
    const row = logRow(item, filter)
    return row && linesOf(row, columns).map(({ mark, text }) => `${mark} ${text}`)
  }

  it('distinguishes sent packets, received packets and events, in columns', () => {
    expect(shown(failed, 60)).toEqual(['→ ack        #4     failed display_failed     120 B'])
    expect(shown(connack, 60)).toEqual([`← ${'CONNACK'.padEnd(49)}`])
    expect(shown(spoken, 60)).toEqual(['• broken: the memory is gone'])
    expect(logHeader(60).text).toMatch(/^type {7}n {6}stage +size$/)
  })

  it('keeps the reason when narrow: it replaces the size, and events take two lines', () => {
    expect(shown(failed, 33)).toEqual([`→ ${'✕ display_failed'.padEnd(22)} #4`])
    expect(shown(spoken, 28)).toEqual(['• broken: the memory', '  is gone'])
  })

  it('omits keepalive packets and filtered items', () => {
    expect(shown(ping, 60)).toBeUndefined()
    expect(shown(spoken, 60, 'packets')).toBeUndefined()
    expect(shown(failed, 60, 'events')).toBeUndefined()
    expect(shown(failed, 60, 'packets')).toBeDefined()
    expect(shown(spoken, 60, 'events')).toBeDefined()
  })
})

describe('a readable frame', () => {
  it('has its fields, and below them the complete text as sent', () => {
    const frame = '{"t":"announce","n":42,"d":{"bill":"B-1"},"mac":"abcdefghijklmnopqrstuv"}'
    const lines = frameLines(frame, 40)
    expect(lines.slice(0, 4)).toEqual(['{', '  "t": "announce",', '  "n": 42,', '  "d": {'])
    expect(lines.slice(lines.indexOf('as it passed:') + 1).join('')).toBe(frame)
  })

  it('that is not JSON is shown as sent, without control characters', () => {
    expect(frameLines('\u001b]52;c;AAAA\u0007', 40)).toEqual(['␛]52;c;AAAA␇'])
  })
})

describe('a screen', () => {
  it.each([
    [{ isTTY: true }, 'xterm-256color', true],
    [{ isTTY: true }, undefined, true],
    [{ isTTY: true }, 'dumb', false],
    [{}, 'xterm-256color', false],
  ])('on %o with TERM %s can be drawn: %s', (output, term, drawn) =>
    expect(canDraw(output, term)).toBe(drawn),
  )
})

it('a speaker without power says whether its battery is empty', () => {
  const dark = (battery: number) => snapshotOf({ screen: 'off' }, { power: false, link: 'offline', battery })
  expect(statusLines(dark(100), true)).toEqual(['no power: the screen is dark', 'o switches it on'])
  expect(statusLines(dark(0), true)[0]).toContain('the battery is empty')
  expect(lightsOf(dark(0))[0]).toMatchObject({ sign: '✕', word: 'empty' })
})
