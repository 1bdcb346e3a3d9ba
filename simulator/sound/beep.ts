import { BEEP_MS } from '../speaker/device/sounds.ts'
import { SAMPLE_RATE, SAMPLES_PER_MS } from './audio.ts'
import { atVolume } from './join.ts'
import type { Audio } from './wav.ts'

const BEEPS = 3
const TONE_MS = 140
const FADE_MS = 5
/** High enough to be heard across a shop, and far from any voice. */
const PITCH_HZ = 1_760
const AMPLITUDE = 10_000

/** Three beeps, as long as the speaker takes for `identify`. */
export function beep(volume: number): Audio {
  const samples = new Int16Array(BEEP_MS * SAMPLES_PER_MS)
  const tone = TONE_MS * SAMPLES_PER_MS
  for (let nth = 0; nth < BEEPS; nth += 1) {
    const start = Math.round((nth * samples.length) / BEEPS)
    for (let index = 0; index < tone; index += 1) {
      const edge = Math.min(index, tone - 1 - index) / (FADE_MS * SAMPLES_PER_MS)
      const wave = Math.sin((2 * Math.PI * PITCH_HZ * index) / SAMPLE_RATE)
      samples[start + index] = Math.round(wave * Math.min(1, edge) * AMPLITUDE)
    }
  }
  return { rate: SAMPLE_RATE, samples: atVolume(samples, volume) }
}
