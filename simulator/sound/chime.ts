import { SAMPLES_PER_MS } from './audio.ts'

/** How long the chime sounds. The voice follows at once: the second tone has died away by then. */
export const CHIME_MS = 450

/** C6 and E6: a rising third, above the pitch of any voice. */
const TONES = [
  { hertz: 1_046.5, fromMs: 0 },
  { hertz: 1_318.5, fromMs: 120 },
]
/** The strength of each harmonic, the fundamental first: a bell rather than a whistle. */
const HARMONICS = [1, 0.35, 0.15]
const AMPLITUDE = 8_000
/** A tone has a third of its strength left after this time. */
const DECAY_MS = 90
const ATTACK_MS = 3
const FADE_MS = 30

/** The chime that begins each announcement: two tones, at `SAMPLE_RATE`. */
export function chime(): Int16Array {
  const samples = new Int16Array(CHIME_MS * SAMPLES_PER_MS)
  return samples.map((_, index) => {
    const atMs = index / SAMPLES_PER_MS
    const wave = TONES.reduce((sum, { hertz, fromMs }) => sum + toneAt(hertz, atMs - fromMs), 0)
    return Math.round(AMPLITUDE * wave * Math.min(1, (CHIME_MS - atMs) / FADE_MS))
  })
}

/** A tone that was struck `ms` ago; nothing before. */
function toneAt(hertz: number, ms: number): number {
  if (ms < 0) return 0
  const turn = (2 * Math.PI * hertz * ms) / 1000
  const wave = HARMONICS.reduce((sum, strength, nth) => sum + strength * Math.sin((nth + 1) * turn), 0)
  return wave * Math.min(1, ms / ATTACK_MS) * Math.exp(-ms / DECAY_MS)
}
