import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { espeakVersion, speak } from '../../../simulator/sound/generate/espeak.ts'
import { shapeClip } from '../../../simulator/sound/generate/shape.ts'
import { fromMuLaw, toMuLaw } from '../../../simulator/sound/mulaw.ts'
import { writeWav } from '../../../simulator/sound/wav.ts'
import { longestGapMs, readRiff } from '../support/wav.ts'

const FROM = 22_050
const TO = 16_000

/** A tone between silences, like a synthesised word. */
function word({ hertz = 440, height = 3_000, toneMs = 300 } = {}) {
  const silence = Math.round(0.2 * FROM)
  const tone = Math.round((toneMs / 1000) * FROM)
  const samples = new Int16Array(2 * silence + tone)
  for (let at = 0; at < tone; at += 1)
    samples[silence + at] = Math.round(height * Math.sin((2 * Math.PI * hertz * at) / FROM))
  return { rate: FROM, samples }
}

function loudnessOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)
}

/** Rising zero crossings per second. */
function pitchOf({ rate, samples }: { rate: number; samples: Int16Array }): number {
  const rises = samples.filter((sample, at) => sample >= 0 && (samples[at - 1] ?? 0) < 0).length
  return (rises * rate) / samples.length
}

/** The amplitude of one tone, as a share of full scale. */
function strengthOf({ rate, samples }: { rate: number; samples: Int16Array }, hertz: number): number {
  const turn = (2 * Math.PI * hertz) / rate
  const along = samples.reduce((sum, sample, at) => sum + sample * Math.cos(turn * at), 0)
  const across = samples.reduce((sum, sample, at) => sum + sample * Math.sin(turn * at), 0)
  return (2 * Math.hypot(along, across)) / samples.length / 32_768
}

describe('a word that becomes a clip', () => {
  it('loses the silence around it, and keeps its pitch after resampling', () => {
    const clip = shapeClip(word(), TO)
    expect(clip.rate).toBe(TO)
    expect(clip.samples.length % 16).toBe(0)
    expect(clip.samples.length / 16).toBeGreaterThan(300)
    expect(clip.samples.length / 16).toBeLessThan(330)
    expect(pitchOf(clip)).toBeGreaterThan(440 * 0.9)
    expect(pitchOf(clip)).toBeLessThan(440 * 1.05)
  })

  it('has the common loudness', () => {
    const [soft, loud] = [300, 25_000].map((height) => loudnessOf(shapeClip(word({ height }), TO).samples))
    expect(soft).toBeGreaterThan(4_000)
    expect((soft ?? 0) / (loud ?? 1)).toBeCloseTo(1, 1)
  })

  it('contains nothing above its Nyquist frequency: 9.5 kHz would alias to 6.5', () => {
    const [low, high] = [word({ hertz: 500 }), word({ hertz: 9_500, height: 20_000 })]
    const both = low.samples.map((sample, at) => sample + (high.samples[at] ?? 0))
    const clip = shapeClip({ rate: FROM, samples: both }, TO)
    expect(strengthOf(clip, 500)).toBeGreaterThan(0.1)
    expect(strengthOf(clip, 6_500)).toBeLessThan(strengthOf(clip, 500) / 30)
  })

  it('fades in and out', () => {
    const { samples } = shapeClip(word({ hertz: 1_000, height: 30_000 }), TO)
    expect(Math.abs(samples[0] ?? 1)).toBe(0)
    expect(Math.abs(samples.at(-1) ?? 1)).toBeLessThan(50)
  })

  it('that is silent is refused', () => {
    expect(() => shapeClip(word({ height: 0 }), TO)).toThrow('there is no sound')
  })
})

describe('µ-law', () => {
  it('keeps every code', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code)
    // 0x7f is negative zero.
    expect(toMuLaw(fromMuLaw(codes))).toEqual(codes.map((code) => (code === 0x7f ? 0xff : code)))
  })

  it('has an error below a thirtieth, and agrees with the table of G.711', () => {
    fc.assert(
      fc.property(fc.integer({ min: -32_635, max: 32_635 }), (sample) => {
        const file = writeWav({ rate: TO, samples: Int16Array.of(sample) }, 'mulaw')
        const [read = 0] = readRiff(file).samples
        expect(Math.abs(read - sample)).toBeLessThanOrEqual(Math.abs(sample) / 30 + 4)
      }),
    )
  })
})

const espeak = espeakVersion()
if (espeak === undefined)
  process.stderr.write('skipped: espeak-ng is not installed, no clip is spoken anew\n')

it.skipIf(espeak === undefined)('the synthesiser’s words become clips', () => {
  for (const [lang, text] of [
    ['vi', 'mười'],
    ['en', 'thousand'],
  ] as const) {
    const clip = shapeClip(speak(lang, text), TO)
    expect(clip.samples.length / 16).toBeGreaterThan(120)
    expect(clip.samples.length / 16).toBeLessThan(900)
    expect(loudnessOf(clip.samples)).toBeGreaterThan(1_500)
    expect(longestGapMs(clip, 0.02)).toBeLessThan(120)
  }
})
