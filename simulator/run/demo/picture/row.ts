import { shapeOf } from './glyphs.ts'
import type { Cell, Style } from './terminal.ts'

/** A cell of the picture, in its units. The glyphs are drawn for this size. */
export const CELL = { width: 10, height: 20 } as const
/** From a row's top to the line on which its letters stand. */
const BASELINE = 15
/** What every monospaced font has in the width of one cell; other signs may be wider and stand alone. */
const LETTER = /[\p{Script=Latin}\p{Nd} !-~·•…]/u

/** Characters beside each other that look alike. */
interface Run {
  column: number
  chars: string[]
  style: Style
}

/** One row as SVG elements, without its place from above; the same cells give the same text. */
export function drawRow(cells: readonly Cell[]): string {
  return runsOf(cells, (a, b) => sameStyle(a.style, b.style))
    .flatMap((run) => [background(run), ...shapes(run), ...texts(run)])
    .join('')
}

function sameStyle(a: Style, b: Style): boolean {
  return (
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.inverse === b.inverse &&
    a.colour === b.colour &&
    a.background === b.background
  )
}

function runsOf(cells: readonly Cell[], alike: (a: Cell, b: Cell) => boolean): Run[] {
  const runs: Run[] = []
  let last: Cell | undefined
  cells.forEach((cell, column) => {
    const run = runs.at(-1)
    if (run && last && alike(last, cell)) run.chars.push(cell.char)
    else runs.push({ column, chars: [cell.char], style: cell.style })
    last = cell
  })
  return runs
}

function background({ column, chars, style }: Run): string {
  const filled = fillOf(style)
  if (filled === undefined) return ''
  return `<path class="${filled}" d="M${column * CELL.width} 0h${chars.length * CELL.width}v${CELL.height}H${column * CELL.width}z"/>`
}

/** The class of what is behind the text. */
function fillOf({ inverse, colour, background }: Style): string | undefined {
  if (inverse) return colour === undefined ? 'b' : `b c${colour}`
  return background === undefined ? undefined : `f${background}`
}

function shapes({ column, chars, style }: Run): string[] {
  const paths = { line: '', block: '' }
  chars.forEach((char, index) => {
    const shape = shapeOf(char)
    if (shape) paths[shape.kind] += `M${(column + index) * CELL.width} 0${shape.path}`
  })
  const draw = (kind: 'line' | 'block') =>
    paths[kind] === '' ? '' : `<path class="${kind[0]}${look(style)}" d="${paths[kind]}"/>`
  return [draw('line'), draw('block')]
}

/** Words that stand together are one element; its length is fixed, whatever the font. */
function texts({ column, chars, style }: Run): string[] {
  const found: string[] = []
  let word = ''
  let from = 0
  const end = () => {
    const text = word.trimEnd()
    if (text !== '') found.push(textAt(column + from, text, style))
    word = ''
  }
  chars.forEach((char, index) => {
    const blank = char === ' ' || char === '\u00a0' || shapeOf(char) !== undefined
    const alone = !blank && !LETTER.test(char)
    if (alone || (blank && (word === '' || word.endsWith(' ')))) end()
    if (blank) word += word === '' ? '' : ' '
    else {
      if (word === '') from = index
      word += char
      if (alone) end()
    }
  })
  end()
  return found
}

function textAt(column: number, text: string, style: Style): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const length = [...text].length * CELL.width
  return `<text class="t${look(style)}" x="${column * CELL.width}" y="${BASELINE}" textLength="${length}">${escaped}</text>`
}

/** The classes that make it bold, dim or coloured. */
function look({ bold, dim, inverse, colour }: Style): string {
  const ink = inverse ? ' W' : colour === undefined ? '' : ` c${colour}`
  return `${bold ? ' B' : ''}${dim ? ' D' : ''}${ink}`
}
