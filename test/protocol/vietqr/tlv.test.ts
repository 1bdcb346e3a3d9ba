import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Field, indexAfter, lengthOf, readFields, writeField } from '../../../protocol/vietqr/tlv.ts'
import { anyCharacter } from '../../support/any-character.ts'

const fields: fc.Arbitrary<Field[]> = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[0-9]{2}$/),
    value: fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 99 })
      .filter((text) => lengthOf(text) <= 99),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
)

describe('fields', () => {
  it('are parsed as they were written, each with its index', () => {
    fc.assert(
      fc.property(fields, fc.nat(100), (written, start) => {
        const text = written.map(writeField).join('')
        const read = readFields(text, start)
        expect(read).toMatchObject({ ok: true, value: written })
        if (read.ok)
          for (const { id, offset } of read.value)
            expect(text.slice(offset - start).startsWith(id)).toBe(true)
      }),
    )
  })

  it('count characters, not UTF-16 units and not bytes', () => {
    expect(writeField({ id: '59', value: 'Trà 🧋' })).toBe('5905Trà 🧋')
    expect(readFields('5905Trà 🧋0001x', 0)).toMatchObject({
      ok: true,
      value: [
        { id: '59', value: 'Trà 🧋', offset: 0 },
        { id: '00', value: 'x', offset: 10 },
      ],
    })
  })

  it.each([
    ['half an id', '0', 'truncated', 0],
    ['no length', '00', 'truncated', 0],
    ['half a length', '0002016', 'truncated', 6],
    ['a value cut off', '00020', 'truncated', 0],
    ['no value', '0002', 'truncated', 0],
    ['a second value cut off', '00020101031', 'truncated', 6],
    ['a letter in an id', 'a00101', 'bad_id', 0],
    ['a digit that is not ASCII in an id', '0\u06600101', 'bad_id', 0],
    ['a sign in a length', '00+101', 'bad_length', 2],
    ['a space in a length', '00 101', 'bad_length', 2],
    ['a length of 0', '000001', 'bad_length', 2],
    ['an id that stands twice', '000201010211000201', 'duplicate', 12],
  ])('are refused with %s', (_, text, kind, offset) => {
    expect(readFields(text, 100)).toMatchObject({ ok: false, error: { kind, offset: 100 + offset } })
  })

  it('are not written with a value of an invalid length', () => {
    expect(() => writeField({ id: '59', value: '' })).toThrow(RangeError)
    expect(() => writeField({ id: '59', value: 'x'.repeat(100) })).toThrow(RangeError)
    expect(writeField({ id: '59', value: '🧋'.repeat(99) })).toHaveLength(4 + 2 * 99)
  })
})

describe('indexAfter', () => {
  it('returns the index after the given number of characters', () => {
    expect(indexAfter('a🧋b', 0, 2)).toBe(3)
    expect(indexAfter('a🧋b', 1, 2)).toBe(4)
    expect(indexAfter('a🧋b', 0, 4)).toBeUndefined()
    expect(indexAfter('', 0, 0)).toBe(0)
  })
})
