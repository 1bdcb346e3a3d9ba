/**
 * IMA ADPCM (IMA Digital Audio Focus Group, 1992): a sample in four bits, the difference from what the samples before
 * predict, in steps that follow the loudness. Half of µ-law, and its decoder is additions and shifts.
 */

const STEPS = [
  ...[7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80],
  ...[88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598],
  ...[658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327],
  ...[3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289],
  ...[16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767],
]
const STEP_CHANGES = [-1, -1, -1, -1, 2, 4, 6, 8]

export interface Adpcm {
  /** The index of the step before the first sample. The prediction before it is 0. */
  stepIndex: number
  /** Two samples a byte, the first one in the low bits. */
  bytes: Uint8Array
}

/** Encodes 16-bit samples, with the first step that gives the least error. */
export function toAdpcm(samples: Int16Array): Adpcm {
  let best = encode(samples, 0)
  for (let stepIndex = 1; stepIndex < STEPS.length; stepIndex += 1) {
    const one = encode(samples, stepIndex)
    if (one.error < best.error) best = one
  }
  return best
}

/** Decodes `count` samples. */
export function fromAdpcm({ stepIndex, bytes }: Adpcm, count: number): Int16Array {
  const state = { value: 0, stepIndex }
  return Int16Array.from({ length: count }, (_, index) =>
    apply(state, ((bytes[index >> 1] ?? 0) >> (4 * (index % 2))) & 15),
  )
}

function encode(samples: Int16Array, stepIndex: number): Adpcm & { error: number } {
  const state = { value: 0, stepIndex }
  const bytes = new Uint8Array(Math.ceil(samples.length / 2))
  let error = 0
  samples.forEach((sample, index) => {
    const difference = sample - state.value
    const magnitude = Math.min(7, Math.floor((4 * Math.abs(difference)) / (STEPS[state.stepIndex] ?? 0)))
    const code = magnitude | (difference < 0 ? 8 : 0)
    const at = index >> 1
    bytes[at] = (bytes[at] ?? 0) | (code << (4 * (index % 2)))
    error += (apply(state, code) - sample) ** 2
  })
  return { stepIndex, bytes, error }
}

/** The next sample, as a decoder has it. */
function apply(state: { value: number; stepIndex: number }, code: number): number {
  const step = STEPS[state.stepIndex] ?? 0
  const magnitude = code & 7
  const difference =
    (step >> 3) + (code & 4 ? step : 0) + (code & 2 ? step >> 1 : 0) + (code & 1 ? step >> 2 : 0)
  const value = state.value + (code & 8 ? -difference : difference)
  state.value = Math.min(32_767, Math.max(-32_768, value))
  state.stepIndex = Math.min(STEPS.length - 1, Math.max(0, state.stepIndex + (STEP_CHANGES[magnitude] ?? 0)))
  return state.value
}
