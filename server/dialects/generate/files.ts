import { toJson } from '../../../protocol/generate/messages/json.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { clipIds } from '../../../protocol/money/sentence.ts'
import type { Pack } from '../profile/schema.ts'

/** The first number of our clips: the factory's own have lower ones. */
const FIRST = 100
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** System sounds of the firmware. */
const FORBIDDEN = [...range(37, 42), 188, ...range(238, 254)]

/** The pack that an operator puts into a box of clip numbers: the protocol's clips, in the order of its tables. */
export function viEnPack(): Pack {
  const free = range(FIRST, 999).filter((number) => !FORBIDDEN.includes(number))
  const all = LANGUAGES.flatMap((lang) => clipIds(lang).map((id) => ({ lang, id })))
  const clips = Object.fromEntries(
    LANGUAGES.map((lang) => [
      lang,
      Object.fromEntries(
        all.flatMap((clip, index) => (clip.lang === lang ? [[clip.id, String(free[index])] as const] : [])),
      ),
    ]),
  )
  return { currency: 'VND', clips, forbidden: FORBIDDEN }
}

/** The content of every generated file, by its path relative to server/dialects. */
export function generatedFiles(profileSchema: object): Map<string, string> {
  return new Map([
    ['profile/profile.schema.json', toJson(profileSchema)],
    ['oneway/packs/vi-en.json', `${JSON.stringify(viEnPack(), undefined, 2)}\n`],
  ])
}
