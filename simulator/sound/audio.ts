/** Samples per second of every clip: wideband speech, and a whole number per millisecond. */
export const SAMPLE_RATE = 16_000
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000
