import { AMOUNT_PATTERN } from './amount.ts'
import { english } from './en.ts'
import type { Language, Speech } from './language.ts'
import { vietnamese } from './vi.ts'

/**
 * The sentence of an announcement, as a list of recorded clips. Both the sound and the text on the screen come from
 * this list, so they always agree (sb/1 6.2).
 */

const SPEECH: Readonly<Record<Language, Speech>> = { vi: vietnamese, en: english }

/**
 * "Received `amount` dong" as clip ids separated by single spaces: the `clips` of an announcement.
 * `amount` is whole dong as 1 to 13 decimal digits without a leading zero. Throws a RangeError for any other text.
 */
export function announcementClips(lang: Language, amount: string): string {
  if (!AMOUNT_PATTERN.test(amount)) throw new RangeError('an amount has 1 to 13 digits and no leading zero')
  const { opening, number, closing } = SPEECH[lang]
  return [opening, ...number(threes(amount)), closing].join(' ')
}

/**
 * The text of a list of clips, for the screen: "Đã nhận năm mươi nghìn đồng". Returns undefined if the language lacks a
 * clip, or if the ids are not separated by single spaces.
 */
export function clipsToText(lang: Language, clips: string): string | undefined {
  const { words, joint } = SPEECH[lang]
  let text = ''
  let previous: string | undefined
  for (const clip of clips.split(' ')) {
    const word = words.get(clip)
    if (word === undefined) return undefined
    text += previous === undefined ? capitalised(word) : joint(previous, clip) + word
    previous = clip
  }
  return text
}

/** The ids of all clips of a language. A clip pack with all of them can say every amount. */
export function clipIds(lang: Language): readonly string[] {
  return [...SPEECH[lang].words.keys()]
}

/** Splits digits into groups of three from the right. Only the first group may be shorter. */
function threes(digits: string): string[] {
  const head = digits.length % 3
  return [digits.slice(0, head), ...(digits.slice(head).match(/.{3}/g) ?? [])].filter((group) => group !== '')
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
