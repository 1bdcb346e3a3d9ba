import type { Language } from '../../protocol/money/language.ts'

/** Samples per second of every clip: wideband speech, and a whole number per millisecond. */
export const SAMPLE_RATE = 16_000
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000

/** The clips of a language by their ids, at `SAMPLE_RATE`. */
export type ClipPack = Readonly<Record<Language, ReadonlyMap<string, Int16Array>>>
