import type { Language } from '../../protocol/money/language.ts'
import { SAMPLE_RATE, SAMPLES_PER_MS } from './clip-files.ts'
import type { ClipPack } from './pack.ts'
import type { Audio } from './wav.ts'

/** Between words: enough to tell them apart, short enough to sound like one sentence. */
const WORD_PAUSE_MS = 30
/**
 * Behind the opening, each thousands group and the sentence: the ear takes a long number in by its groups. With
 * the soft ends of the clips around it, a gap stays below 150 ms.
 */
const GROUP_PAUSE_MS = 80

const GROUP_ENDS = new Set([
  ...['da-nhan', 'nghin', 'trieu', 'ty', 'dong'],
  ...['received', 'thousand', 'million', 'billion', 'trillion'],
])

/** The silence behind a clip, in milliseconds. */
export function pauseAfterMs(clip: string): number {
  return GROUP_ENDS.has(clip) ? GROUP_PAUSE_MS : WORD_PAUSE_MS
}

/**
 * A sentence as sound: each clip and the pause behind it, as loud as `volume` (percent of the clips' own
 * amplitude). `clips` are ids separated by single spaces; a RangeError names one that the pack lacks.
 */
export function joinClips(pack: ClipPack, lang: Language, clips: string, volume: number): Audio {
  const parts = clips.split(' ').map((clip) => {
    const samples = pack[lang].get(clip)
    if (!samples) throw new RangeError(`no clip ${clip} in ${lang}`)
    return { samples, length: samples.length + pauseAfterMs(clip) * SAMPLES_PER_MS }
  })
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const { samples, length } of parts) {
    joined.set(samples, at)
    at += length
  }
  return { rate: SAMPLE_RATE, samples: atVolume(joined, volume) }
}

/** Volume is linear in amplitude: at 50 the samples are half as high, which is 6 dB. */
export function atVolume(samples: Int16Array, volume: number): Int16Array {
  return samples.map((sample) => Math.round((sample * volume) / 100))
}
