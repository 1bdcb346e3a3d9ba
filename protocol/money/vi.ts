import type { Speech } from './language.ts'

/**
 * Northern Vietnamese. The `s` of `1s` and `5s` marks the sound of the digit after a ten. Four keeps its plain sound
 * there (bốn, not tư), as in the shared vectors.
 */
export const vietnamese: Speech = {
  words: new Map([
    ['0', 'không'],
    ['1', 'một'],
    ['2', 'hai'],
    ['3', 'ba'],
    ['4', 'bốn'],
    ['5', 'năm'],
    ['6', 'sáu'],
    ['7', 'bảy'],
    ['8', 'tám'],
    ['9', 'chín'],
    ['10', 'mười'],
    ['muoi', 'mươi'],
    ['1s', 'mốt'],
    ['5s', 'lăm'],
    ['linh', 'linh'],
    ['tram', 'trăm'],
    ['nghin', 'nghìn'],
    ['trieu', 'triệu'],
    ['ty', 'tỷ'],
    ['da-nhan', 'đã nhận'],
    ['dong', 'đồng'],
  ]),
  opening: 'da-nhan',
  closing: 'dong',
  number,
  joint: () => ' ',
}

/**
 * The scale of each group of three digits, from the right. The fifth is "nghìn" again: thousands of the following "tỷ".
 */
const SCALES = ['', 'nghin', 'trieu', 'ty', 'nghin']
const TY = SCALES.indexOf('ty')

function number(groups: readonly string[]): string[] {
  return groups.flatMap((group, index) => {
    const place = groups.length - 1 - index
    return [...groupClips(group, index === 0), ...scaleClips(group, place)]
  })
}

/** "tỷ" applies to everything before it, so it is said even if its own group is empty: "một nghìn tỷ". */
function scaleClips(group: string, place: number): string[] {
  const scale = SCALES[place]
  if (!scale || (group === '000' && place !== TY)) return []
  return [scale]
}

/**
 * After the first group the hundreds are always said, even "không trăm", and an empty ten is "linh". Without them
 * 1 050 000 and 1 500 000 sound alike.
 */
function groupClips(group: string, first: boolean): string[] {
  if (group === '000') return []
  const padded = group.padStart(3, '0')
  const hundreds = padded.charAt(0)
  const tens = padded.charAt(1)
  const units = padded.charAt(2)
  if (first && hundreds === '0') return belowHundred(tens, units, [])
  return [hundreds, 'tram', ...belowHundred(tens, units, ['linh'])]
}

/** Tens and units. `emptyTen` is said if the ten is 0. */
function belowHundred(tens: string, units: string, emptyTen: string[]): string[] {
  if (tens === '0') return units === '0' ? [] : [...emptyTen, units]
  if (tens === '1') return ['10', ...unitsAfterTen(units, '1')]
  return [tens, 'muoi', ...unitsAfterTen(units, '1s')]
}

/** `one` depends on the ten: "mười một", but "hai mươi mốt". */
function unitsAfterTen(units: string, one: string): string[] {
  switch (units) {
    case '0':
      return []
    case '1':
      return [one]
    case '5':
      return ['5s']
    default:
      return [units]
  }
}
