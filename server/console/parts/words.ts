import { LANGUAGE_CODES, LANGUAGES, type Language } from '../../platform/language/words.ts'

/** The languages of the console are those of the pages for partners. */
export type Lang = Language
export { LANGUAGE_CODES as LANGS, LANGUAGES as LANG_NAMES }

/** The same in both languages: a text, or a function that makes one. One that is not translated does not compile. */
export type Both<T = string> = readonly [en: T, vi: T]

export const inLang = <T>([en, vi]: Both<T>, lang: Lang): T => (lang === 'vi' ? vi : en)

/** Words of a page by their names. The returned function gives those of a language. */
export function wordsOf<K extends string, T>(
  all: Readonly<Record<K, Both<T>>>,
): (lang: Lang) => Readonly<Record<K, T>> {
  const of = (lang: Lang) =>
    // The same names.
    Object.fromEntries(
      Object.entries<Both<T>>(all).map(([name, both]) => [name, inLang(both, lang)]),
    ) as Record<K, T>
  const made = { en: of('en'), vi: of('vi') }
  return (lang) => made[lang]
}
