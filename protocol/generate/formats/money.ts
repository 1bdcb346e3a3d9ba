import { z } from 'zod'
import { amount, language } from '../../messages/fields.ts'

/** The formats of clips.json and amount-words.json. */

export const clipsFile = z.strictObject({
  about: z.string(),
  packs: z
    .record(language, z.record(z.string(), z.string()))
    .describe('Every clip id of a language with its words: the content of a clip pack'),
  amounts: z.array(
    z.strictObject({
      lang: language,
      amount,
      clips: z.string().describe('The sentence as clip ids, separated by single spaces'),
      text: z.string().describe('The same sentence as a screen shows it'),
    }),
  ),
})
export type ClipsFile = z.infer<typeof clipsFile>

const words = z.record(z.string().regex(/^[1-9][0-9]*$/), z.string())
export const amountWordsFile = z.strictObject({ about: z.string(), vi: words, en: words })
