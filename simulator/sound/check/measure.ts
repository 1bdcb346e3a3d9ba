import type { Audio } from '../wav.ts'

/** The amplitude of 0 dBFS: of a square wave as loud as 16 bits can be. */
const FULL_SCALE = 32_768
const BLOCK_MS = 50
const STEP_MS = 10
/** Blocks that are this much softer than the loudest one are pauses and faint consonants. */
const GATE_DB = 10
/** The share of the loudest sample below which a clip is silent: 34 dB. */
const SILENT = 0.02

/**
 * The loudness of a clip in dBFS: the mean power of its blocks of 50 ms, one every 10 ms, without those that are more
 * than 10 dB softer than the loudest. ITU-R BS.1770 gates in the same way, but its blocks of 400 ms are longer than most
 * clips. The frequency has no weight: the clips of one voice have much the same.
 */
export function loudnessOf({ rate, samples }: Audio): number {
  const [block, step] = [BLOCK_MS, STEP_MS].map((ms) => Math.round((ms * rate) / 1000)) as [number, number]
  const powers: number[] = []
  for (let from = 0; from === 0 || from + block <= samples.length; from += step)
    powers.push(meanSquare(samples.subarray(from, from + block)))
  const gate = Math.max(...powers) / 10 ** (GATE_DB / 10)
  const heard = powers.filter((power) => power >= gate)
  return inDb(heard.reduce((sum, power) => sum + power, 0) / heard.length)
}

/** The loudest sample in dBFS. */
export function peakOf({ samples }: Pick<Audio, 'samples'>): number {
  return inDb((loudestOf(samples) / FULL_SCALE) ** 2)
}

/** A sample as a share of full scale. */
export function shareOf(sample = 0): number {
  return Math.abs(sample) / FULL_SCALE
}

/** Milliseconds of silence before the first sound, after the last one, and the longest ones between. */
export function silencesOf({ rate, samples }: Audio): { startMs: number; gapMs: number; endMs: number } {
  const threshold = SILENT * loudestOf(samples)
  let [first, last, gap] = [samples.length, -1, 0]
  samples.forEach((sample, at) => {
    if (Math.abs(sample) <= threshold) return
    first = Math.min(first, at)
    if (last >= 0) gap = Math.max(gap, at - last - 1)
    last = at
  })
  const [startMs = 0, gapMs = 0, endMs = 0] = [first, gap, samples.length - 1 - last].map(
    (count) => (1000 * count) / rate,
  )
  return { startMs, gapMs, endMs }
}

function loudestOf(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
}

/** Of an empty part 0. */
function meanSquare(samples: Int16Array): number {
  const sum = samples.reduce((total, sample) => total + (sample / FULL_SCALE) ** 2, 0)
  return sum / Math.max(1, samples.length)
}

function inDb(power: number): number {
  return 10 * Math.log10(power)
}
