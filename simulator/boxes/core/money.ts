import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import type { Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipsToText } from '../../../protocol/money/sentence.ts'

/** Amounts as boxes write, say and hear them. */

const POINT: Record<Language, string> = { vi: 'phẩy', en: 'point' }
const ZERO: Record<Language, string> = { vi: 'không', en: 'zero' }

export interface Money {
  /** Without leading zeros, except for 0 itself. */
  whole: string
  /** The digits behind the point, without zeros at their end. */
  fraction: string
}

/** Parses "50000", "50000.00" or "1.23"; undefined for another text, or for more than 13 digits before the point. */
export function parseMoney(text: string): Money | undefined {
  const [, digits = '', decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const whole = digits.replace(/^0+(?=\d)/, '')
  if (whole === '' || whole.length > 13) return undefined
  return { whole, fraction: decimals.replace(/0+$/, '') }
}

/** The amount when it is whole đồng above 0. */
export function amountOf({ whole, fraction }: Money): { amount?: string } {
  return fraction === '' && AMOUNT_PATTERN.test(whole) ? { amount: whole } : {}
}

/** "Đã nhận năm mươi nghìn đồng"; with a fraction, its digits one by one. */
export function moneyText(lang: Language, { whole, fraction }: Money): string {
  const sentence = textOf(lang, announcementClips(lang, whole === '0' ? '1' : whole))
  const words = sentence.split(' ')
  const number =
    whole === '0' ? [words[0], ...(lang === 'vi' ? [words[1]] : []), ZERO[lang]] : words.slice(0, -1)
  const behind = fraction === '' ? [] : [POINT[lang], ...[...fraction].map((digit) => digitWord(lang, digit))]
  return [...number, ...behind, words.at(-1)].join(' ')
}

/** "Đã nhận" alone: what some firmware says when an amount is too long for it. */
export function receivedText(lang: Language): string {
  return moneyText(lang, { whole: '0', fraction: '' }).split(` ${ZERO[lang]}`)[0] ?? ''
}

/**
 * The amount that a sentence of sb/1's clips says. Undefined when the clips are no announcement of a whole amount, in
 * every detail: a missing or doubled word changes what a shop believes.
 */
export function amountSaid(lang: Language, clips: readonly string[]): string | undefined {
  const said = clips.join(' ')
  const amount = String((lang === 'vi' ? vietnameseNumber : englishNumber)(clips.slice(1, -1)))
  return AMOUNT_PATTERN.test(amount) && announcementClips(lang, amount) === said ? amount : undefined
}

/** Six digits that are spoken one by one, once or twice. */
export function codeSaid(clips: readonly string[]): string | undefined {
  const said = clips.join('')
  if (!clips.every((clip) => /^\d$/.test(clip)) || (said.length !== 6 && said.length !== 12)) return undefined
  const code = said.slice(0, 6)
  return said === code || said === code + code ? code : undefined
}

function textOf(lang: Language, clips: string): string {
  return clipsToText(lang, clips) ?? clips
}

function digitWord(lang: Language, digit: string): string {
  return digit === '0' ? ZERO[lang] : textOf(lang, digit).toLowerCase()
}

const UNITS = new Map([
  ['5s', 5],
  ['1s', 1],
  ['linh', 0],
])
const SCALES = new Map([
  ['nghin', 1_000],
  ['thousand', 1_000],
  ['trieu', 1_000_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
  ['trillion', 1_000_000_000_000],
])

/** "tỷ" counts everything before it. */
function vietnameseNumber(clips: readonly string[]): number {
  const end = clips.lastIndexOf('ty')
  const above = end < 0 ? 0 : scaled(clips.slice(0, end), 'tram') * 1_000_000_000
  return above + scaled(clips.slice(end + 1), 'tram')
}

function englishNumber(clips: readonly string[]): number {
  return scaled(clips, 'hundred')
}

function scaled(clips: readonly string[], hundred: string): number {
  let [total, group] = [0, 0]
  for (const clip of clips) {
    const scale = SCALES.get(clip)
    if (scale !== undefined) [total, group] = [total + group * scale, 0]
    else if (clip === hundred) group *= 100
    // "hai mươi": only the units of the group are tens.
    else if (clip === 'muoi') group += 9 * (group % 100)
    else group += UNITS.get(clip) ?? Number(clip)
  }
  return total + group
}
