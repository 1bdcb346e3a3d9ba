import { halfBlock } from './half-block.ts'

/** Large digits in three sizes. The glyphs are digits and the point that groups thousands; `#` is an inked pixel. */
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
  across: 1 | 2
  /** Draw two pixels per character, one above the other. */
  halves: boolean
  /** Between two digits, in characters. */
  gap: number
}

const SIZES = {
  /** Six digits are 46 columns wide and five rows high: to be read from across a counter. */
  large: { font: SMALL, across: 2, halves: false, gap: 2 },
  /** Six digits are 34 columns wide and four rows high. */
  medium: { font: MEDIUM, across: 1, halves: true, gap: 2 },
  /** Three rows high. */
  small: { font: SMALL, across: 1, halves: true, gap: 1 },
} as const satisfies Record<string, Size>

export type DigitSize = keyof typeof SIZES

/** The rows of a number; omits characters without a glyph. */
export function drawDigits(text: string, size: DigitSize): string[] {
  const { font, across, halves, gap }: Size = SIZES[size]
  const glyphs = [...text].flatMap((character) => {
    const glyph = font[character]
    return glyph ? [halves ? inHalves(glyph) : glyph.map((row) => widened(row, across))] : []
  })
  return Array.from({ length: glyphs[0]?.length ?? 0 }, (_, row) =>
    glyphs.map((glyph) => glyph[row] ?? '').join(' '.repeat(gap)),
  )
}

/** The number in the first size that fits; undefined when none fits. */
export function fittingDigits(
  text: string,
  sizes: readonly DigitSize[],
  room: { columns: number; rows: number },
): string[] | undefined {
  return sizes
    .map((size) => drawDigits(text, size))
    .find((rows) => rows.length <= room.rows && (rows[0]?.length ?? 0) <= room.columns)
}

function widened(row: string, across: number): string {
  return [...row].map((pixel) => (pixel === '#' ? '█' : ' ').repeat(across)).join('')
}

function inHalves(glyph: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(glyph.length / 2) }, (_, row) =>
    [...(glyph[2 * row] ?? '')]
      .map((upper, column) => halfBlock(upper === '#', glyph[2 * row + 1]?.[column] === '#'))
      .join(''),
  )
}
