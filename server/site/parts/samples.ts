import { readFile } from 'node:fs/promises'
import { LANGUAGES, type SampleLanguage } from './code.ts'

/** The requests that there are samples of. */
export type SampleName = 'token' | 'code' | 'register' | 'qr' | 'callback'

/** Reads one request in every language, with its placeholders. */
export async function readSamples(name: SampleName): Promise<Record<SampleLanguage, string>> {
  const read = async (language: SampleLanguage) =>
    (await readFile(new URL(`../samples/${name}.${language}`, import.meta.url), 'utf8')).trimEnd()
  const texts = await Promise.all(
    LANGUAGES.map(async ({ language }) => [language, await read(language)] as const),
  )
  // Every language of the list was read.
  return Object.fromEntries(texts) as Record<SampleLanguage, string>
}
