import type { Audio } from '../wav.ts'

/** The ends of a word below this share of the peak count as silence. */
const SILENT = 0.02
/** Silence that is kept, so that soft consonants are not cut. */
const LEAD_MS = 6
const TAIL_MS = 14
/** Fading in and out prevents clicks. */
const FADE_MS = 4
/** The target loudness of every clip, as root mean square of full scale; lower when the peak would be too high. */
const LEVEL = 0.14
const HIGHEST_PEAK = 0.8
const FULL_SCALE = 32_767

/**
 * Turns a synthesised word into a clip: at the pack's sample rate, without surrounding silence, at the common loudness,
 * and whole milliseconds long.
 */
export function shapeClip(word: Audio, rate: number): Audio {
  const samples = trim(resample(word, rate), rate)
  level(samples)
  fade(samples, rate)
  const perMs = rate / 1000
  const padded = new Float64Array(Math.ceil(samples.length / perMs) * perMs)
  padded.set(samples)
  return { rate, samples: Int16Array.from(padded, (value) => Math.round(value * FULL_SCALE)) }
}

/** Half the length of the interpolation filter, in samples of the slower side. */
const FILTER_REACH = 16

/** Band-limited interpolation: a windowed sinc below the lower of the two Nyquist frequencies. */
function resample({ rate: from, samples }: Audio, to: number): Float64Array {
  const step = from / to
  const cutoff = Math.min(1, to / from) * 0.94
  const reach = Math.ceil(FILTER_REACH * Math.max(1, step))
  return Float64Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    const at = index * step
    let sum = 0
    for (let tap = Math.ceil(at - reach); tap <= at + reach; tap += 1)
      sum += (samples[tap] ?? 0) * sinc(cutoff * (at - tap)) * hann((at - tap) / reach)
    return (sum * cutoff) / FULL_SCALE
  })
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function hann(x: number): number {
  return 0.5 + 0.5 * Math.cos(Math.PI * x)
}

function trim(samples: Float64Array, rate: number): Float64Array {
  const threshold = SILENT * peakOf(samples)
  const heard = (value: number) => Math.abs(value) > threshold
  const first = samples.findIndex(heard)
  if (first < 0) throw new Error('there is no sound')
  const start = Math.max(0, first - (LEAD_MS * rate) / 1000)
  return samples.slice(start, samples.findLastIndex(heard) + (TAIL_MS * rate) / 1000)
}

function level(samples: Float64Array): void {
  const rms = Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length)
  const gain = Math.min(LEVEL / rms, HIGHEST_PEAK / peakOf(samples))
  samples.forEach((value, index) => {
    samples[index] = value * gain
  })
}

function fade(samples: Float64Array, rate: number): void {
  const length = Math.min((FADE_MS * rate) / 1000, samples.length / 2)
  for (let index = 0; index < length; index += 1) {
    const gain = index / length
    const last = samples.length - 1 - index
    samples[index] = (samples[index] ?? 0) * gain
    samples[last] = (samples[last] ?? 0) * gain
  }
}

function peakOf(samples: Float64Array): number {
  return samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)
}
