import type { Language } from '../../protocol/money/language.ts'
import { type ClipPack, SAMPLE_RATE, SAMPLES_PER_MS } from './audio.ts'
import { chime } from './chime.ts'
import type { Audio } from './wav.ts'

/** The pause between words: long enough to separate them, short enough to sound like one sentence. */
const WORD_PAUSE_MS = 30
/**
 * The pause after the opening, each thousands group and the sentence, because people hear a long number in groups. With
 * the soft ends of the clips, a gap stays below 150 ms.
 */
const GROUP_PAUSE_MS = 80

const GROUP_ENDS = new Set([
  ...['da-nhan', 'nghin', 'trieu', 'ty', 'dong'],
  ...['received', 'thousand', 'million', 'billion', 'trillion'],
])

/** Whether a group of a number, the opening or the sentence ends with a clip. */
export function isGroupEnd(clip: string): boolean {
  return GROUP_ENDS.has(clip)
}

/** The silence after a clip, in milliseconds. */
export function pauseAfterMs(clip: string): number {
  return isGroupEnd(clip) ? GROUP_PAUSE_MS : WORD_PAUSE_MS
}

/**
 * The sound of an announcement: the chime, then the clips with their pauses. `volume` is a percentage of their own
 * amplitude; `clips` are ids separated by single spaces. A RangeError names a clip that the pack lacks.
 */
export function joinClips(pack: ClipPack, lang: Language, clips: string, volume: number): Audio {
  const spoken = clips.split(' ').map((clip) => {
    const samples = pack[lang].get(clip)
    if (!samples) throw new RangeError(`no clip ${clip} in ${lang}`)
    return { samples, length: samples.length + pauseAfterMs(clip) * SAMPLES_PER_MS }
  })
  const bell = chime()
  const parts = [{ samples: bell, length: bell.length }, ...spoken]
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const { samples, length } of parts) {
    joined.set(samples, at)
    at += length
  }
  return { rate: SAMPLE_RATE, samples: atVolume(joined, volume) }
}

/** Volume is linear in amplitude: 50 halves the samples, which is 6 dB. */
export function atVolume(samples: Int16Array, volume: number): Int16Array {
  return samples.map((sample) => Math.round((sample * volume) / 100))
}
