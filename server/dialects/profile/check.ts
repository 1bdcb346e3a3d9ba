import { clipsToText } from '../../../protocol/money/sentence.ts'
import type { BoxCodec } from '../../delivery/dialect.ts'
import type { CommandBody } from '../../delivery/session/command.ts'
import type { BoxDialect } from './dialect.ts'
import { nameProblems, wireIdOf } from './names.ts'
import type { Profile } from './schema.ts'
import { codeClips, longestAmounts } from './sentence.ts'

/** The longest serial. */
const SERIAL = 'W'.repeat(32)
const ID = '7'.repeat(26)

/**
 * What a profile of every dialect must hold: names that tell boxes apart, a word for đồng, and messages that fit. A
 * profile that breaks one would be noticed only when money comes.
 */
export function commonProblems<P extends Profile>(profile: P, codec: BoxDialect<P>['codec']): string[] {
  const names = nameProblems(profile)
  if (names.length > 0) return names
  const wireId = wireIdOf(profile, SERIAL)
  const written = codec({ serial: SERIAL, wireId, profile, now: () => 0 })
  return [
    ...currencyProblems(profile),
    ...sentenceProblems(profile, written),
    ...codeProblems(profile, written),
  ]
}

function currencyProblems({ currency, languages }: Profile): string[] {
  const { code, words } = currency
  if (code !== 'VND')
    return [
      `currency.code is ${code}, and the hub announces VND: the box would say a wrong amount. Load a voice pack that says đồng.`,
    ]
  return languages.flatMap((lang) => {
    const word = clipsToText(lang, 'dong')?.toLowerCase()
    if (words[lang]?.toLowerCase() === word) return []
    return [
      `currency.words.${lang} is ${words[lang] === undefined ? 'missing' : `"${words[lang]}"`}, and must be "${word}". Load a voice pack that says it, or take ${lang} out of languages.`,
    ]
  })
}

function sentenceProblems({ languages, maxAmount, bufferBytes }: Profile, codec: BoxCodec): string[] {
  for (const lang of languages)
    for (const amount of longestAmounts(maxAmount)) {
      const written = write(codec, { kind: 'announce', amount, lang, paidBill: '' }, bufferBytes)
      if (written === 'over_limit')
        return [`maxAmount is ${maxAmount}, and the box has no message for ${amount}. Lower maxAmount.`]
      if (written !== undefined)
        return [
          `The sentence for ${amount} in ${lang} is too long for the box (${written}). Raise bufferBytes or limits if the box has more room, else lower maxAmount.`,
        ]
    }
  return []
}

function codeProblems({ pairing, languages, bufferBytes }: Profile, codec: BoxCodec): string[] {
  if (pairing === 'label') return []
  if (pairing === 'spoken' && codeClips(languages, '000000') === undefined)
    return ['pairing is spoken, and no language of the box has a word for each digit. Use label.']
  const written = write(codec, { kind: 'code', code: '000000' }, bufferBytes)
  if (written === undefined) return []
  return [`pairing is ${pairing}, and the box can't be sent a code (${written}). Use label.`]
}

/** Why a command can't be written. */
function write(codec: BoxCodec, body: CommandBody, bufferBytes: number): string | undefined {
  const written = codec.write(
    { id: ID, commandNumber: 0xffff_ffff, body, expiresAt: 120_000 },
    0,
    bufferBytes,
  )
  if (written === 'done') return 'nothing is sent'
  return 'failed' in written ? written.failed : undefined
}
