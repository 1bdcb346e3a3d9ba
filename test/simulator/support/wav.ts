import { CHIME_MS } from '../../../simulator/sound/chime.ts'

/**
 * An independent WAV reader after the RIFF layout, so that the product's writer and reader can't share an error. One
 * channel, 16-bit PCM or µ-law.
 */
export function readRiff(file: Uint8Array): { rate: number; samples: Int16Array } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const id = (at: number) => Buffer.from(file.subarray(at, at + 4)).toString('ascii')
  if (id(0) !== 'RIFF' || id(8) !== 'WAVE' || id(12) !== 'fmt ') throw new Error('not a plain WAV file')
  if (view.getUint32(4, true) !== file.length - 8) throw new Error('the RIFF length is wrong')
  const dataAt = 20 + view.getUint32(16, true)
  if (id(dataAt) !== 'data') throw new Error('no data behind the format')
  const bytes = view.getUint32(dataAt + 4, true)
  const [coding, channels, bits] = [20, 22, 34].map((at) => view.getUint16(at, true))
  if (channels !== 1) throw new Error(`${channels} channels`)
  if (dataAt + 8 + bytes + (bytes % 2) !== file.length) throw new Error('the data length is wrong')
  const byte = (index: number) => view.getUint8(dataAt + 8 + index)
  const word = (index: number) => view.getInt16(dataAt + 8 + 2 * index, true)
  const rate = view.getUint32(24, true)
  if (coding === 7 && bits === 8)
    return { rate, samples: Int16Array.from({ length: bytes }, (_, index) => expand(byte(index))) }
  if (coding === 1 && bits === 16)
    return { rate, samples: Int16Array.from({ length: bytes / 2 }, (_, index) => word(index)) }
  throw new Error(`coding ${coding} with ${bits} bits`)
}

/** ITU-T G.711, table 2a: the 14-bit decoder output values, scaled to 16 bits. */
function expand(code: number): number {
  const inverted = 255 - code
  const segment = Math.floor(inverted / 16) % 8
  const step = inverted % 16
  const value = 4 * ((33 + 2 * step) * 2 ** segment - 33)
  return inverted >= 128 ? -value : value
}

/**
 * The longest stretch, in milliseconds, below `threshold` (a share of the loudest sample), between the first and the
 * last sound.
 */
export function longestGapMs({ rate, samples }: { rate: number; samples: Int16Array }, threshold: number) {
  const loudest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
  let gap = 0
  let lastHeard = -1
  samples.forEach((sample, at) => {
    if (Math.abs(sample) <= threshold * loudest) return
    if (lastHeard >= 0) gap = Math.max(gap, at - lastHeard - 1)
    lastHeard = at
  })
  return (1000 * gap) / rate
}

/** The longest pause between clips to search for. */
const LONGEST_PAUSE_MS = 250

/**
 * Splits a sentence behind its chime into clips: each is the one that starts next after the previous one. `pausesMs` are
 * the silences before each clip, and `restMs` the silence at the end.
 */
export function takeApart(
  { rate, samples }: { rate: number; samples: Int16Array },
  clips: ReadonlyMap<string, Int16Array>,
): { ids: string[]; pausesMs: number[]; restMs: number } {
  const ms = (count: number) => (1000 * count) / rate
  const known = [...clips].map(([id, clip]) => ({ id, clip, peakAt: peakAt(clip) }))
  const ids: string[] = []
  const pausesMs: number[] = []
  let at = (rate * CHIME_MS) / 1000
  for (let from = at; from < samples.length && ms(from - at) <= LONGEST_PAUSE_MS; from += 1) {
    const found = known.find(({ clip, peakAt }) => {
      // Compare the loudest sample first: nearly all mismatches differ there.
      return samples[from + peakAt] === clip[peakAt] && standsAt(samples, from, clip)
    })
    if (!found) continue
    ids.push(found.id)
    pausesMs.push(ms(from - at))
    at = from + found.clip.length
    from = at - 1
  }
  return { ids, pausesMs, restMs: ms(samples.length - at) }
}

function peakAt(clip: Int16Array): number {
  return clip.reduce((best, sample, at) => (Math.abs(sample) > Math.abs(clip[best] ?? 0) ? at : best), 0)
}

function standsAt(samples: Int16Array, from: number, clip: Int16Array): boolean {
  return (
    from + clip.length <= samples.length && clip.every((sample, index) => samples[from + index] === sample)
  )
}
