import { halfBlock } from './half-block.ts'

/** Large digits in five sizes. The glyphs are digits and the point that groups thousands; `#` is an inked pixel. */
type Font = Readonly<Record<string, readonly string[]>>

/** Three pixels wide and five high. */
const SMALL: Font = {
  '0': ['###', '# #', '# #', '# #', '###'],
  '1': [' # ', '## ', ' # ', ' # ', '###'],
  '2': ['###', '  #', '###', '#  ', '###'],
  '3': ['###', '  #', ' ##', '  #', '###'],
  '4': ['# #', '# #', '###', '  #', '  #'],
  '5': ['###', '#  ', '###', '  #', '###'],
  '6': ['###', '#  ', '###', '# #', '###'],
  '7': ['###', '  #', ' # ', ' # ', ' # '],
  '8': ['###', '# #', '###', '# #', '###'],
  '9': ['###', '# #', '###', '  #', '###'],
  '.': [' ', ' ', ' ', ' ', '#'],
}

/** Four wide and seven high. */
const MEDIUM: Font = {
  '0': ['####', '#  #', '#  #', '#  #', '#  #', '#  #', '####'],
  '1': ['  # ', ' ## ', '  # ', '  # ', '  # ', '  # ', ' ###'],
  '2': ['####', '   #', '   #', '####', '#   ', '#   ', '####'],
  '3': ['####', '   #', '   #', ' ###', '   #', '   #', '####'],
  '4': ['#  #', '#  #', '#  #', '####', '   #', '   #', '   #'],
  '5': ['####', '#   ', '#   ', '####', '   #', '   #', '####'],
  '6': ['####', '#   ', '#   ', '####', '#  #', '#  #', '####'],
  '7': ['####', '   #', '   #', '  # ', '  # ', ' #  ', ' #  '],
  '8': ['####', '#  #', '#  #', '####', '#  #', '#  #', '####'],
  '9': ['####', '#  #', '#  #', '####', '   #', '   #', '####'],
  '.': [' ', ' ', ' ', ' ', ' ', ' ', '#'],
}

interface Size {
  font: Font
  /** Characters per pixel across; two make a pixel square when it is a row high. */
  across: 1 | 2 | 4
  /** Rows per pixel; half a row where `halves` is set. */
  down: 1 | 2
  /** Draw two pixels per character, one above the other. */
  halves: boolean
  /** Between two digits, in characters. */
  gap: number
}

const SIZES = {
  /** Six digits are 92 columns wide and ten rows high. */
  huge: { font: SMALL, across: 4, down: 2, halves: false, gap: 4 },
  /** Six digits are 58 columns wide and seven rows high. */
  big: { font: MEDIUM, across: 2, down: 1, halves: false, gap: 2 },
  /** Six digits are 46 columns wide and five rows high: to be read from across a counter. */
  large: { font: SMALL, across: 2, down: 1, halves: false, gap: 2 },
  /** Six digits are 34 columns wide and four rows high. */
  medium: { font: MEDIUM, across: 1, down: 1, halves: true, gap: 2 },
  /** Three rows high. */
  small: { font: SMALL, across: 1, down: 1, halves: true, gap: 1 },
} as const satisfies Record<string, Size>

export type DigitSize = keyof typeof SIZES

/** Every size, the largest first. */
export const DIGIT_SIZES: readonly DigitSize[] = ['huge', 'big', 'large', 'medium', 'small']

/** The rows of a number; omits characters without a glyph. */
export function drawDigits(text: string, size: DigitSize): string[] {
  const { font, across, down, halves, gap }: Size = SIZES[size]
  const glyphs = [...text].flatMap((character) => {
    const glyph = font[character]
    return glyph ? [halves ? inHalves(glyph) : enlarged(glyph, across, down)] : []
  })
  return Array.from({ length: glyphs[0]?.length ?? 0 }, (_, row) =>
    glyphs.map((glyph) => glyph[row] ?? '').join(' '.repeat(gap)),
  )
}

/** The number in the largest size that fits; undefined when none fits. */
export function fittingDigits(text: string, room: { columns: number; rows: number }): string[] | undefined {
  return DIGIT_SIZES.map((size) => drawDigits(text, size)).find(
    (rows) => rows.length <= room.rows && (rows[0]?.length ?? 0) <= room.columns,
  )
}

function enlarged(glyph: readonly string[], across: number, down: number): string[] {
  return glyph.flatMap((row) => {
    const wide = [...row].map((pixel) => (pixel === '#' ? '█' : ' ').repeat(across)).join('')
    return Array.from({ length: down }, () => wide)
  })
}

function inHalves(glyph: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(glyph.length / 2) }, (_, row) =>
    [...(glyph[2 * row] ?? '')]
      .map((upper, column) => halfBlock(upper === '#', glyph[2 * row + 1]?.[column] === '#'))
      .join(''),
  )
}
