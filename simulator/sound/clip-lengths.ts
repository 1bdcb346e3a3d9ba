import { LANGUAGES } from '../../protocol/money/language.ts'
import type { ClipLengths, DeviceConfig } from '../speaker/device/state/state.ts'
import { type ClipPack, SAMPLES_PER_MS } from './audio.ts'
import { CHIME_MS } from './chime.ts'
import { pauseAfterMs } from './join.ts'

/** For the speaker's configuration, so that a sentence takes exactly as long as its sound. */
export function soundTimesOf(pack: ClipPack): Pick<DeviceConfig, 'chimeMs' | 'clipLengths'> {
  const clipLengths: ClipLengths = {}
  for (const lang of LANGUAGES)
    clipLengths[lang] = Object.fromEntries(
      [...pack[lang]].map(([clip, samples]) => [clip, samples.length / SAMPLES_PER_MS + pauseAfterMs(clip)]),
    )
  return { chimeMs: CHIME_MS, clipLengths }
}
