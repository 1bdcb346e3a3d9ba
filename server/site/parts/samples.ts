import { readFile } from 'node:fs/promises'
import { LANGUAGES, type SampleLanguage } from './code.ts'

/** The requests that have samples. */
export type SampleName = 'token' | 'code' | 'register' | 'qr' | 'callback'

/** Reads the samples of a request in every language, with their placeholders. */
export async function readSamples(name: SampleName): Promise<Record<SampleLanguage, string>> {
  const read = async (language: SampleLanguage) =>
    (await readFile(new URL(`../samples/${name}.${language}`, import.meta.url), 'utf8')).trimEnd()
  const texts = await Promise.all(
    LANGUAGES.map(async ({ language }) => [language, await read(language)] as const),
  )
  // It has an entry for every language.
  return Object.fromEntries(texts) as Record<SampleLanguage, string>
}
