import { readFileSync } from 'node:fs'
import type { Language } from '../../protocol/money/language.ts'
import { clipIds } from '../../protocol/money/sentence.ts'
import { fileTrouble } from '../platform/error-text.ts'
import { type ClipPack, SAMPLE_RATE, SAMPLES_PER_MS } from './audio.ts'
import { clipFile, PACK_DIR } from './clip-files.ts'
import { languagesOf, MANIFEST, readManifest } from './manifest.ts'
import { readWav } from './wav.ts'

/**
 * Reads every clip that the protocol's sentences can use. `voice` is a folder with a manifest: a language that it lacks
 * keeps the simulator's own voice. An Error names a file that is missing or invalid.
 */
export function loadPack(voice?: string): ClipPack {
  const spoken = voice === undefined ? [] : languagesIn(voice)
  const dirOf = (lang: Language) => (voice !== undefined && spoken.includes(lang) ? voice : PACK_DIR)
  return { vi: loadLanguage(dirOf('vi'), 'vi'), en: loadLanguage(dirOf('en'), 'en') }
}

function languagesIn(voice: string): Language[] {
  const read = readManifest(voice)
  if ('manifest' in read) return languagesOf(read.manifest)
  throw new Error(`${MANIFEST} of ${voice}: ${read.mistakes.join('; ')}`)
}

function loadLanguage(dir: string, lang: Language): ReadonlyMap<string, Int16Array> {
  return new Map(clipIds(lang).map((clip) => [clip, loadClip(clipFile(dir, lang, clip))]))
}

function loadClip(file: string): Int16Array {
  try {
    const { rate, samples } = readWav(readFileSync(file))
    if (rate !== SAMPLE_RATE) throw new Error(`its sample rate is ${rate}, not ${SAMPLE_RATE} Hz`)
    return inWholeMs(samples)
  } catch (error) {
    throw new Error(`The clip ${file} can't be used: ${fileTrouble(error)}`)
  }
}

/** With silence up to a whole millisecond, in which the speaker counts. */
function inWholeMs(samples: Int16Array): Int16Array {
  const whole = new Int16Array(Math.ceil(samples.length / SAMPLES_PER_MS) * SAMPLES_PER_MS)
  whole.set(samples)
  return whole
}
