import { readFileSync } from 'node:fs'
import type { Language } from '../../protocol/money/language.ts'
import { clipIds } from '../../protocol/money/sentence.ts'
import { messageOf } from '../platform/error-text.ts'
import type { ClipLengths } from '../speaker/device/state/state.ts'
import { clipFile, LANGUAGES, PACK_DIR, SAMPLE_RATE, SAMPLES_PER_MS } from './clip-files.ts'
import { pauseAfterMs } from './join.ts'
import { readWav } from './wav.ts'

/** The clips of a language by their ids, at `SAMPLE_RATE`. */
export type ClipPack = Readonly<Record<Language, ReadonlyMap<string, Int16Array>>>

/** Reads every clip that the protocol's sentences can use. An Error names a clip that is missing or invalid. */
export function loadPack(dir: string = PACK_DIR): ClipPack {
  return { vi: loadLanguage(dir, 'vi'), en: loadLanguage(dir, 'en') }
}

/** The duration of each clip in a sentence, including the pause after it. */
export function clipLengthsOf(pack: ClipPack): ClipLengths {
  const lengths: ClipLengths = {}
  for (const lang of LANGUAGES)
    lengths[lang] = Object.fromEntries(
      [...pack[lang]].map(([clip, samples]) => [clip, samples.length / SAMPLES_PER_MS + pauseAfterMs(clip)]),
    )
  return lengths
}

function loadLanguage(dir: string, lang: Language): ReadonlyMap<string, Int16Array> {
  return new Map(clipIds(lang).map((clip) => [clip, loadClip(clipFile(dir, lang, clip))]))
}

function loadClip(file: string): Int16Array {
  try {
    const { rate, samples } = readWav(readFileSync(file))
    if (rate !== SAMPLE_RATE) throw new Error(`its sample rate is ${rate}, not ${SAMPLE_RATE} Hz`)
    return samples
  } catch (error) {
    throw new Error(`The clip ${file} can't be used: ${messageOf(error)}`)
  }
}
