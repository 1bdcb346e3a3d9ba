import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readCast, writeCast } from '../../../../simulator/run/demo/picture/cast.ts'
import { drawPicture } from '../../../../simulator/run/demo/picture/svg.ts'
import { type Frame, framesOf } from '../../../../simulator/run/demo/picture/terminal.ts'

const fileOf = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')
const recording = fileOf('demo.cast')
const picture = fileOf('demo.svg')
const textOf = ({ rows }: Frame) => rows.map((row) => row.map(({ char }) => char).join('')).join('\n')
const SIMULATOR = fileURLToPath(new URL('../../../../simulator/', import.meta.url))
const sources = globSync(['screen/**/*.{ts,tsx}', 'run/demo/*.ts'], { cwd: SIMULATOR })
  .map((file) => readFileSync(join(SIMULATOR, file), 'utf8'))
  .join('\n')
const screens = framesOf(readCast(recording)).map(textOf)

describe('the moving picture of the README', () => {
  it('is what the generator draws from the kept recording', () => {
    expect(drawPicture(readCast(recording)), 'run: npm run picture:generate').toBe(picture)
  })

  it('plays on a page of a code host: no script, nothing from elsewhere, less than 200 kB', () => {
    expect(picture).not.toMatch(/<script|<foreignObject|\bon\w+=|@import|@font-face|url\(|\bhref=/)
    expect(picture.match(/https?:\/\/(?!127\.0\.0\.1)[^"< ]+/g)).toEqual(['http://www.w3.org/2000/svg'])
    expect(Buffer.byteLength(picture)).toBeLessThan(200_000)
  })

  it('has a picture for light and for dark, and one that stands still', () => {
    for (const media of ['prefers-color-scheme:light', 'prefers-reduced-motion:reduce'])
      expect(picture).toContain(`@media(${media})`)
  })
})

describe('the kept recording', () => {
  const anew = 'record it anew: npm run picture:generate -- --record'

  it.each([
    'The speaker shows the code',
    'A dynamic QR for BILL-1',
    '"Đã nhận năm mươi nghìn',
    'The hub has the proof: the announcement was',
  ])('tells: %s', (line) => {
    expect(screens.at(-1), anew).toContain(line)
  })

  it.each(['MÃ XÁC MINH', 'ĐÃ THANH TOÁN', '#7 Đã nhận năm mươi nghìn đồng', '▀'])(
    'shows on some screen: %s',
    (sign) => {
      expect(screens.some((screen) => screen.includes(sign))).toBe(true)
    },
  )

  it.each([
    'The speaker shows the code',
    'The hub has the proof',
    'MÃ XÁC MINH',
    'ĐÃ THANH TOÁN',
    'packets and events',
    'pay again',
    'reconnect',
  ])("is of today's demo and screen, which still have: %s", (words) => {
    expect(screens.join('\n')).toContain(words)
    expect(sources, anew).toContain(words)
  })
})

describe('the terminal of the picture', () => {
  const play = (text: string) => {
    const [frame] = framesOf({ width: 10, height: 3, writes: [{ atS: 0, text }] })
    return frame === undefined
      ? undefined
      : textOf(frame)
          .split('\n')
          .map((row) => row.trimEnd())
  }

  it.each([
    { text: 'ab\ncd', rows: ['ab', 'cd', ''] },
    { text: 'abc\x1b[2Gx', rows: ['axc', '', ''] },
    { text: 'ab\ncd\x1b[1A\x1b[1Gx\x1b[K', rows: ['x', 'cd', ''] },
    { text: 'ab\x1b[Ecd\x1b[Hx\x1b[J', rows: ['x', '', ''] },
    { text: '0123456789xy\nz', rows: ['0123456789', 'z', ''] },
  ])('obeys $text', ({ text, rows }) => {
    expect(play(text)).toEqual(rows)
  })

  it.each(['\x1b[3q', '\x1b[4mx'])('refuses what it does not know: %j', (text) => {
    expect(() => play(text)).toThrow('the picture does not know')
  })
})

it('a recording is read as it was written', () => {
  const cast = readCast(recording)
  expect(writeCast(cast)).toBe(recording)
  expect(() => readCast('{"version":1}')).toThrow()
})
