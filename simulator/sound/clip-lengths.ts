import { LANGUAGES, type Language } from '../../protocol/money/language.ts'
import type { ClipLengths, DeviceConfig } from '../speaker/device/state/state.ts'
import { SAMPLES_PER_MS } from './audio.ts'
import { CHIME_MS } from './chime.ts'
import { pauseAfterMs } from './join.ts'

/** The clips of a language by their ids, at `SAMPLE_RATE`. */
export type ClipPack = Readonly<Record<Language, ReadonlyMap<string, Int16Array>>>

/** For the speaker's configuration, so that a sentence takes exactly as long as its sound. */
export function soundTimesOf(pack: ClipPack): Pick<DeviceConfig, 'chimeMs' | 'clipLengths'> {
  const clipLengths: ClipLengths = {}
  for (const lang of LANGUAGES)
    clipLengths[lang] = Object.fromEntries(
      [...pack[lang]].map(([clip, samples]) => [clip, samples.length / SAMPLES_PER_MS + pauseAfterMs(clip)]),
    )
  return { chimeMs: CHIME_MS, clipLengths }
}
