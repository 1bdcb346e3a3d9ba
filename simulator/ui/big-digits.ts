/** Digits in blocks, five rows high and six columns wide: to be read from across a counter. */

const ROWS = 5

const DIGITS: Readonly<Record<string, readonly string[]>> = {
  '0': ['██████', '██  ██', '██  ██', '██  ██', '██████'],
  '1': ['  ██  ', '████  ', '  ██  ', '  ██  ', '██████'],
  '2': ['██████', '    ██', '██████', '██    ', '██████'],
  '3': ['██████', '    ██', ' █████', '    ██', '██████'],
  '4': ['██  ██', '██  ██', '██████', '    ██', '    ██'],
  '5': ['██████', '██    ', '██████', '    ██', '██████'],
  '6': ['██████', '██    ', '██████', '██  ██', '██████'],
  '7': ['██████', '    ██', '   ██ ', '  ██  ', '  ██  '],
  '8': ['██████', '██  ██', '██████', '██  ██', '██████'],
  '9': ['██████', '██  ██', '██████', '    ██', '██████'],
}

/** The rows of a number; characters other than digits are left out. Six digits are 46 columns wide. */
export function bigDigits(text: string): string[] {
  const glyphs = [...text].flatMap((digit) => (DIGITS[digit] ? [DIGITS[digit]] : []))
  return Array.from({ length: ROWS }, (_, row) => glyphs.map((glyph) => glyph[row] ?? '').join('  '))
}
