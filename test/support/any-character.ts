import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }
const CODE_POINTS = 0x110000

const character = (index: number) =>
  String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count)

/**
 * Any character, no lone surrogates: the `unit` of a text. fast-check's own, 'binary', makes a map of all the million
 * characters, which every later collection of garbage goes through.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: CODE_POINTS - SURROGATES.count - 1 })
  .map(character, (value) => {
    const point = typeof value === 'string' ? (value.codePointAt(0) ?? -1) : -1
    const index = point < SURROGATES.first ? point : point - SURROGATES.count
    return index >= 0 && character(index) === value ? index : -1
  })
