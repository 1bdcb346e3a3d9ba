import { announcementClips, clipIds, clipsToText } from '../../money/sentence.ts'
import type { ClipsFile } from '../formats/money.ts'

const LANGUAGES = ['vi', 'en'] as const

/** Amounts that often go wrong: every unit, each special sound after a ten, each empty place, each scale alone. */
const AMOUNTS = [
  ...Array.from({ length: 21 }, (_, index) => String(index + 1)),
  ...['24', '25', '31', '34', '35', '45', '51', '55', '90', '91', '95', '99'],
  ...['100', '101', '104', '105', '110', '111', '115', '121', '124', '125', '150', '155', '999'],
  ...['1000', '1001', '1005', '1010', '1011', '1015', '1021', '1050', '1100', '1105', '1500', '5000', '9999'],
  ...['10000', '10001', '11000', '15000', '20000', '21000', '24000', '25000', '50000', '55000', '99000'],
  ...['100000', '100001', '101000', '105000', '110000', '115000', '121000', '150000', '500000', '999999'],
  ...['1000000', '1000001', '1000005', '1000010', '1000015', '1000050', '1000100', '1000500', '1001000'],
  ...['1001001', '1005000', '1010000', '1050000', '1100000', '1500000', '1050500', '5000000', '9999999'],
  ...['10000000', '11000000', '15000000', '21005015', '100000000', '101000000', '105005005', '999999999'],
  ...['1000000000', '1000000001', '1000001000', '1001000000', '1005000000', '1050000000', '1500000000'],
  ...['2000000015', '5005005005', '10000000000', '21000000000', '50000000000', '100000000000'],
  ...['101000000000', '105000000000', '500000000001', '999999999999'],
  ...['1000000000000', '1000000000001', '1000000001000', '1000001000000', '1001000000000', '1005000000000'],
  ...['1010000000000', '1015000000000', '1021000000000', '1050000000000', '1100000000000', '1500000000000'],
  ...['2000000000000', '2345678901234', '5005005005005', '5055055055055', '9000000000000', '9999999999999'],
]

/** The content of clips.json. */
export function clipVectors(): ClipsFile {
  return {
    about:
      'Amounts of dong as clip ids and as text, 1 to 9999999999999. Vietnamese is northern: linh for an empty ten, mốt and lăm after one, bốn always, tỷ closing all to its left. Agreed by independent readers of numbers in both languages.',
    packs: { vi: packOf('vi'), en: packOf('en') },
    amounts: LANGUAGES.flatMap((lang) =>
      AMOUNTS.map((amount) => {
        const clips = announcementClips(lang, amount)
        return { lang, amount, clips, text: textOf(lang, clips) }
      }),
    ),
  }
}

/** The text of a single clip, without the capital that starts a sentence. */
function packOf(lang: (typeof LANGUAGES)[number]): Record<string, string> {
  return Object.fromEntries(clipIds(lang).map((id) => [id, textOf(lang, id).toLowerCase()]))
}

function textOf(lang: (typeof LANGUAGES)[number], clips: string): string {
  const text = clipsToText(lang, clips)
  if (text === undefined) throw new Error(`no text for ${clips}`)
  return text
}
