/** The taps on each side of the middle, in samples. */
const REACH = 24
/** The end of the passband as a part of the sample rate: 3.6 kHz at 16 kHz. */
const CUT_OFF = 0.225

/** A windowed sinc (Hann), whose taps sum to 1. */
const TAPS = normalised(
  Array.from({ length: 2 * REACH + 1 }, (_, index) => {
    const at = index - REACH
    const sinc = at === 0 ? 2 * CUT_OFF : Math.sin(2 * Math.PI * CUT_OFF * at) / (Math.PI * at)
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * at) / (REACH + 1)))
  }),
)

/** Every second sample, after a filter that removes what the lower rate would alias. */
export function halveRate(samples: Int16Array): Int16Array {
  return Int16Array.from({ length: Math.ceil(samples.length / 2) }, (_, index) => {
    const sum = TAPS.reduce((total, tap, nth) => total + tap * (samples[2 * index + nth - REACH] ?? 0), 0)
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  })
}

function normalised(taps: number[]): number[] {
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}
