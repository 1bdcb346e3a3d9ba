import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Language } from '../../protocol/money/language.ts'

/** The folder of the clips that come with the simulator. */
export const PACK_DIR = fileURLToPath(new URL('./pack', import.meta.url))

/** The file of one clip. */
export function clipFile(dir: string, lang: Language, clip: string): string {
  return join(dir, lang, `${clip}.wav`)
}
