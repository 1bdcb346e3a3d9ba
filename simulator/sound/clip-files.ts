import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Language } from '../../protocol/money/language.ts'

/** The folder of the clips that come with the simulator. */
export const PACK_DIR = fileURLToPath(new URL('./pack', import.meta.url))

/** Samples per second of every clip: wideband speech, and a whole number per millisecond. */
export const SAMPLE_RATE = 16_000
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000

export const LANGUAGES: readonly Language[] = ['vi', 'en']

/** The file of one clip. */
export function clipFile(dir: string, lang: Language, clip: string): string {
  return join(dir, lang, `${clip}.wav`)
}
