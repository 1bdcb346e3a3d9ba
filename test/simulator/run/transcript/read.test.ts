import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_LINE, MOST_BYTES } from '../../../../simulator/run/transcript/format.ts'
import {
  DamagedTranscript,
  parseTranscript,
  readTranscript,
} from '../../../../simulator/run/transcript/read.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { snapshotOf } from '../../screen/model.ts'

const HEADER = { transcript: 1, serial: 'SPK-0001', program: '0.1.0', startedAtMs: 1_000 }
const SEEN = { atMs: 1_000, kind: 'seen', seen: snapshotOf({ screen: 'unregistered' }) }
const PLAYED = { atMs: 2_000, kind: 'happening', happening: { event: 'played', n: 1 } }
const END = { atMs: 3_000, kind: 'end' }

const textOf = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const GOOD = textOf(HEADER, SEEN, PLAYED, END)

describe('a transcript', () => {
  it('is parsed with the snapshot of each moment', () => {
    const change = { atMs: 2_500, kind: 'seen', seen: { waiting: 2, display: { screen: 'off' } } }
    const { moments, ...rest } = parseTranscript(textOf(HEADER, SEEN, PLAYED, change, END))
    expect(rest).toEqual({ serial: 'SPK-0001', program: '0.1.0', startedAtMs: 1_000, complete: true })
    expect(moments.map(({ atMs, item, snapshot }) => [atMs, item?.kind, snapshot.waiting])).toEqual([
      [1_000, undefined, 0],
      [2_000, 'event', 0],
      [2_500, undefined, 2],
      [3_000, undefined, 2],
    ])
  })

  it('may stop anywhere: an incomplete last line is ignored', () => {
    const first = textOf(HEADER, SEEN).length
    for (let length = first; length <= GOOD.length; length += 1) {
      const { moments, complete } = parseTranscript(GOOD.slice(0, length))
      const whole = [first, textOf(HEADER, SEEN, PLAYED).length - 1, GOOD.length - 1]
      expect(moments).toHaveLength(whole.filter((end) => end <= length).length)
      expect(complete).toBe(length >= GOOD.length - 1)
    }
    expect(parseTranscript(`${textOf(HEADER, SEEN)}${'\0'.repeat(512)}`).complete).toBe(false)
  })

  it('contains no terminal control characters', () => {
    const name = '\u001b]0;owned\u0007\u001b[2J\r\nshop'
    const { moments } = parseTranscript(
      textOf(HEADER, { ...SEEN, seen: { ...SEEN.seen, display: { screen: 'idle', name, qr: '' } } }),
    )
    expect(moments[0]?.snapshot.display).toMatchObject({
      name: '\uFFFD]0;owned\uFFFD\uFFFD[2J\uFFFD\uFFFDshop',
    })
  })

  it.each([
    ['nothing', '', /not a transcript/],
    ['another file', 'PNG\n\u0000\u0001\n', /^this is not a transcript/],
    ['another file of JSON lines', '{"event":"connected"}\n', /^this is not a transcript/],
    [
      'a version that is none',
      textOf({ ...HEADER, transcript: '\u009b2J' }, SEEN),
      /has an invalid version; this/,
    ],
    [
      'another version',
      textOf({ ...HEADER, transcript: 2 }, SEEN),
      /has version 2; this program reads version 1/,
    ],
    [
      'a header without a serial',
      textOf({ ...HEADER, serial: 7 }),
      /^line 1 is damaged: "serial" is 7; it must be a text$/,
    ],
    ['a header alone', textOf(HEADER), /this transcript is empty/],
    [
      'no JSON in the middle',
      `${textOf(HEADER, SEEN)}oops \u001b[2J${'!'.repeat(40)}\n${textOf(END)}`,
      /^line 3 is damaged: it is not JSON: oops \uFFFD\[2J!+…$/,
    ],
    ['an empty line', `${textOf(HEADER, SEEN)}\n${textOf(END)}`, /^line 3 is damaged: it is empty$/],
    [
      'a line of another kind',
      textOf(HEADER, SEEN, { ...END, kind: 'comment' }),
      /^line 3 is damaged: "kind" is "comment"; it must be "happening", "packet", "seen" or "end"$/,
    ],
    [
      'another event',
      textOf(HEADER, SEEN, { ...PLAYED, happening: { event: 'sings' } }),
      /^line 3 is damaged: "happening.event" is "sings", which this program does not know$/,
    ],
    [
      'an event without its number',
      textOf(HEADER, SEEN, { ...PLAYED, happening: { event: 'played' } }),
      /^line 3 is damaged: "happening.n" is missing$/,
    ],
    ['no time', textOf(HEADER, SEEN, { kind: 'end' }), /^line 3 is damaged: "atMs" is missing$/],
    [
      'a time that is none',
      textOf(HEADER, SEEN, { ...END, atMs: 1e300 }),
      /^line 3 is damaged: "atMs" is 1e\+300; it must be 8640000000000000 or less$/,
    ],
    [
      'a time in words',
      textOf(HEADER, SEEN, { ...END, atMs: 'noon'.repeat(20) }),
      /^line 3 is damaged: "atMs" is "noon.*…; it must be a number$/,
    ],
    [
      'a happening before anything is to be seen',
      textOf(HEADER, PLAYED),
      /^line 2 .*must start with a snapshot/,
    ],
    [
      'a screen that there is none of',
      textOf(HEADER, { ...SEEN, seen: { ...SEEN.seen, display: { screen: 'film' } } }),
      /^line 2 is damaged: "display.screen" is "film", which this program does not know$/,
    ],
    [
      'half a snapshot',
      textOf(HEADER, { ...SEEN, seen: { serial: 'SPK-0001' } }),
      /^line 2 is damaged: "power" is missing$/,
    ],
    [
      'a snapshot that loses a field',
      textOf(HEADER, SEEN, { ...SEEN, seen: { link: null } }),
      /^line 3 is damaged: "link" is missing$/,
    ],
    [
      'a line without end',
      textOf(HEADER, SEEN, { ...END, note: 'x'.repeat(LONGEST_LINE) }),
      /^line 3 .*longer than/,
    ],
  ])('with %s is refused with a sentence', (_, text, sentence) => {
    expect(() => parseTranscript(text)).toThrow(DamagedTranscript)
    expect(() => parseTranscript(text)).toThrow(sentence)
  })

  it('is parsed or refused with a sentence after any change', () => {
    const spoilt = fc
      .tuple(fc.nat(GOOD.length), fc.nat(40), fc.string({ maxLength: 20 }))
      .map(([at, cut, put]) => GOOD.slice(0, at) + put + GOOD.slice(at + cut))
    fc.assert(
      fc.property(spoilt, (text) => {
        try {
          expect(parseTranscript(text).moments.length).toBeGreaterThan(0)
        } catch (error) {
          if (!(error instanceof DamagedTranscript)) throw error
        }
      }),
    )
  })
})

describe('the file of a transcript', () => {
  it.each([
    ['is not there', () => {}, /tape can't be read: there is no such file$/],
    ['is a folder', (path: string) => mkdirSync(path), /tape can't be read: it is not a file/],
    [
      'is too large',
      (path: string) => {
        writeFileSync(path, '')
        truncateSync(path, MOST_BYTES + 1)
      },
      /tape can't be read: it has 67108865 bytes; a transcript has at most 67108864/,
    ],
    ['is damaged', (path: string) => writeFileSync(path, 'x'), /tape: this is not a transcript/],
    [
      'has a damaged line',
      (path: string) => writeFileSync(path, textOf(HEADER, SEEN, { ...PLAYED, kind: 'film' }, END)),
      /tape: line 3 is damaged: "kind" is "film"; it must be/,
    ],
  ])('that %s is refused with its name', (_, make, sentence) => {
    const path = join(temporaryFolder(), 'tape')
    make(path)
    expect(() => readTranscript(path)).toThrow(sentence)
  })
})
