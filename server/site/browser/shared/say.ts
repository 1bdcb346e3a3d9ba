import { LANGUAGE_CODES, type Words } from '../../../platform/language/words.ts'

/** Takes the text in the page's language. English where there is no page, as in tests. */
export function say<T>(words: Words<T>): T {
  // Node.js has no document.
  const { document } = globalThis as { document?: { documentElement: { lang: string } } }
  const lang = document?.documentElement.lang
  return words[LANGUAGE_CODES.find((code) => code === lang) ?? 'en']
}
