import { SAMPLE_RATE } from '../audio.ts'
import { type Audio, readWav } from '../wav.ts'
import { loudnessOf, peakOf, shareOf, silencesOf } from './measure.ts'

/** Milliseconds. A word that is shorter is cut off; with longer ones, a sentence about millions takes half a minute. */
export const LEAST_MS = 100
export const MOST_MS = 1_000
/** Milliseconds. With the pause of 80 ms after a group, a sentence has no gap over 150 ms. */
export const MOST_START_MS = 30
export const MOST_END_MS = 40
/** Milliseconds within a word, such as before the k of "đã nhận". */
export const MOST_GAP_MS = 120
/** dBFS. A louder clip is clipped, or clips once a player resamples it. */
export const HIGHEST_PEAK = -1
/** The share of full scale at which a clip may begin and end; more clicks. */
export const MOST_EDGE = 0.01
/** Decibels between a clip's loudness and that of the manifest. */
export const TOLERANCE_DB = 4

export interface ClipReport {
  /** A phrase each. */
  mistakes: string[]
  /** Absent when it can't be read. */
  measured?: { audio: Audio; ms: number; loudness: number }
}

/** Measures the file of a clip. `target` is the pack's loudness, in dBFS; undefined when nobody has stated it. */
export function checkClip(file: Uint8Array, target: number | undefined): ClipReport {
  let audio: Audio
  try {
    audio = readWav(file)
  } catch (error) {
    return { mistakes: [error instanceof Error ? error.message : String(error)] }
  }
  const { rate, samples } = audio
  if (rate !== SAMPLE_RATE) return { mistakes: [`its sample rate is ${rate}, not ${SAMPLE_RATE} Hz`] }
  const peak = peakOf(audio)
  if (peak === Number.NEGATIVE_INFINITY) return { mistakes: ['it is silent'] }
  const ms = (1000 * samples.length) / rate
  const loudness = loudnessOf(audio)
  const { startMs, gapMs, endMs } = silencesOf(audio)
  const off = target === undefined ? 0 : Math.abs(loudness - target)
  const mistakes = [
    (ms < LEAST_MS || ms > MOST_MS) && `it takes ${whole(ms)} ms; a clip takes ${LEAST_MS} to ${MOST_MS} ms`,
    startMs > MOST_START_MS &&
      `it begins with ${whole(startMs)} ms of silence; at most ${MOST_START_MS} are allowed`,
    endMs > MOST_END_MS && `it ends with ${whole(endMs)} ms of silence; at most ${MOST_END_MS} are allowed`,
    gapMs > MOST_GAP_MS &&
      `it is silent for ${whole(gapMs)} ms in the middle; at most ${MOST_GAP_MS} are allowed`,
    peak > HIGHEST_PEAK && `its peak is ${decibels(peak)} dBFS; above ${HIGHEST_PEAK} it counts as clipped`,
    shareOf(samples[0]) > MOST_EDGE && 'it begins with a click: fade it in',
    shareOf(samples.at(-1)) > MOST_EDGE && 'it ends with a click: fade it out',
    off > TOLERANCE_DB &&
      `its loudness is ${decibels(loudness)} dBFS; the manifest says ${target}, and ${TOLERANCE_DB} dB off are allowed`,
  ]
  return { mistakes: mistakes.filter((mistake) => mistake !== false), measured: { audio, ms, loudness } }
}

/** Never rounded to a limit that the value exceeds. */
function whole(ms: number): string {
  return ms.toFixed(Number.isInteger(ms) ? 0 : 1)
}

export function decibels(value: number): string {
  return value.toFixed(1)
}
