import type { Language } from '../../../protocol/money/language.ts'
import { clipIds } from '../../../protocol/money/sentence.ts'
import type { OnewayProfile, Pack } from '../profile/schema.ts'
import { pack as packSchema } from '../profile/schema.ts'
import viEn from './packs/vi-en.json' with { type: 'json' }

/** The packs that ship, by name. */
const PACKS: ReadonlyMap<string, Pack> = new Map([['vi-en', packSchema.parse(viEn)]])

/** The pack of a profile. Undefined when it has none, or names one that does not ship. */
export function packOf({ pack }: Pick<OnewayProfile, 'pack'>): Pack | undefined {
  return typeof pack === 'string' ? PACKS.get(pack) : pack
}

/** The protocol's clips as the box's own numbers. Undefined when the pack lacks one. */
export function numbersOf(pack: Pack, lang: Language, clips: readonly string[]): string[] | undefined {
  const numbers = clips.flatMap((clip) => pack.clips[lang]?.[clip] ?? [])
  return numbers.length === clips.length ? numbers : undefined
}

/** Why a pack can't say every amount in these languages, a sentence each. */
export function packProblems(profile: OnewayProfile): string[] {
  const { pack: named, languages } = profile
  const pack = packOf(profile)
  if (pack === undefined) {
    return named === undefined
      ? []
      : [`pack: no pack ${JSON.stringify(named)} ships. Write the pack itself there.`]
  }
  if (pack.currency !== 'VND')
    return [
      `pack.currency is ${pack.currency}: these clips say another currency than đồng. Load clips that say đồng, and write their numbers.`,
    ]
  return languages.flatMap((lang) => languageProblems(pack, lang))
}

function languageProblems({ clips, forbidden }: Pack, lang: Language): string[] {
  const numbers = clips[lang] ?? {}
  const missing = clipIds(lang).find((id) => numbers[id] === undefined)
  if (missing !== undefined)
    return [`pack.clips.${lang} has no number for "${missing}": some amounts can't be said.`]
  const [id, number] = Object.entries(numbers).find(([, one]) => forbidden.includes(Number(one))) ?? []
  if (id !== undefined)
    return [`pack.clips.${lang}.${id} is ${number}, a sound of the system. Choose another number.`]
  const all = Object.values(numbers)
  const twice = all.find((one, index) => all.indexOf(one) !== index)
  return twice === undefined
    ? []
    : [`pack.clips.${lang} has the number ${twice} twice: two words would sound alike.`]
}
