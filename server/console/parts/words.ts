/** The languages of the console. */
export const LANGS = ['en', 'vi'] as const
export type Lang = (typeof LANGS)[number]

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
