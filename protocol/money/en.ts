import type { Speech } from './language.ts'

/** American English: short scale, no "and", compounds from twenty-one hyphenated. */
export const english: Speech = {
  words: new Map([
    ['1', 'one'],
    ['2', 'two'],
    ['3', 'three'],
    ['4', 'four'],
    ['5', 'five'],
    ['6', 'six'],
    ['7', 'seven'],
    ['8', 'eight'],
    ['9', 'nine'],
    ['10', 'ten'],
    ['11', 'eleven'],
    ['12', 'twelve'],
    ['13', 'thirteen'],
    ['14', 'fourteen'],
    ['15', 'fifteen'],
    ['16', 'sixteen'],
    ['17', 'seventeen'],
    ['18', 'eighteen'],
    ['19', 'nineteen'],
    ['20', 'twenty'],
    ['30', 'thirty'],
    ['40', 'forty'],
    ['50', 'fifty'],
    ['60', 'sixty'],
    ['70', 'seventy'],
    ['80', 'eighty'],
    ['90', 'ninety'],
    ['hundred', 'hundred'],
    ['thousand', 'thousand'],
    ['million', 'million'],
    ['billion', 'billion'],
    ['trillion', 'trillion'],
    ['received', 'received'],
    ['dong', 'dong'],
  ]),
  opening: 'received',
  closing: 'dong',
  number,
  joint: (left, right) => (/^[2-9]0$/.test(left) && /^[1-9]$/.test(right) ? '-' : ' '),
}

/** The scale of each group of three digits, from the right. */
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion']

function number(groups: readonly string[]): string[] {
  return groups.flatMap((group, index) => {
    if (group === '000') return []
    const scale = SCALES[groups.length - 1 - index]
    return [...groupClips(group.padStart(3, '0')), ...(scale ? [scale] : [])]
  })
}

function groupClips(group: string): string[] {
  const hundreds = group.charAt(0)
  return [
    ...(hundreds === '0' ? [] : [hundreds, 'hundred']),
    ...belowHundred(group.charAt(1), group.charAt(2)),
  ]
}

function belowHundred(tens: string, units: string): string[] {
  if (tens === '1') return [`1${units}`]
  return [...(tens === '0' ? [] : [`${tens}0`]), ...(units === '0' ? [] : [units])]
}
