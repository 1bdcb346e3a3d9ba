import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellsOf, chop, printable, shortened, wrap } from '../../../simulator/screen/drawing/text.ts'

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['Phở Bà Hạnh', 11],
    ['Phở Bà Hạnh'.normalize('NFD'), 11],
    ['奶茶店', 6],
    ['가게', 4],
    ['🧋', 2],
    ['👩‍🍳', 2],
    ['❤️', 2],
    ['50.000 đ', 8],
    ['▂▄▆█ ▮▯ ●○◌✕▲⚠ →←↑↓•', 20],
  ])('of %s is %i cells', (text, cells) => expect(cellsOf(text)).toBe(cells))
})

describe('foreign text', () => {
  it('can’t move the cursor: its control characters are replaced', () => {
    expect(printable('a\u001b[2Jb\u0007\u007f\u009b')).toBe('a␛[2Jb␇␡\ufffd')
  })

  it('is shortened between characters, with an ellipsis', () => {
    expect(shortened('Trà Sữa Mây', 11)).toBe('Trà Sữa Mây')
    expect(shortened('Trà Sữa Mây', 8)).toBe('Trà Sữa…')
    expect(shortened('奶茶店', 4)).toBe('奶…')
    expect(shortened('abc', 0)).toBe('')
  })
})

describe('lines', () => {
  it('break at spaces if possible', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrap('one two  three', 7)).toEqual(['one two', 'three'])
    expect(wrap('', 4)).toEqual([''])
    expect(wrap('it is paid: 50.000 đ', 19)).toEqual(['it is paid:', '50.000 đ'])
    expect(wrap('bàn số 5 được trả', 10)).toEqual(['bàn số 5', 'được trả'])
  })

  const texts = fc.string({ unit: 'grapheme', maxLength: 80 })
  const widths = fc.integer({ min: 2, max: 40 })

  it('never exceed the width', () => {
    fc.assert(
      fc.property(texts, widths, (text, columns) => {
        for (const row of [...wrap(text, columns), ...chop(text, columns), shortened(text, columns)])
          expect(cellsOf(row)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('keep every character when chopped', () => {
    fc.assert(fc.property(texts, widths, (text, columns) => chop(text, columns).join('') === text))
  })
})
