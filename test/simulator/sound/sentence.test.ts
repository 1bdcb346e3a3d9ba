import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { announcementClips } from '../../../protocol/money/sentence.ts'
import { beep } from '../../../simulator/sound/beep.ts'
import { CHIME_MS, chime } from '../../../simulator/sound/chime.ts'
import { soundTimesOf } from '../../../simulator/sound/clip-lengths.ts'
import { joinClips } from '../../../simulator/sound/join.ts'
import { loadPack } from '../../../simulator/sound/pack.ts'
import { writeWav } from '../../../simulator/sound/wav.ts'
import { sentenceMs } from '../../../simulator/speaker/device/state/clip-times.ts'
import { longestGapMs, readRiff, takeApart } from '../support/wav.ts'

/** A gap of this length splits a sentence. */
const LONGEST_GAP_MS = 150
/** 34 dB below the loudest sample counts as silence in a shop. */
const SILENCE = 0.02

const pack = loadPack()
const times = soundTimesOf(pack)

/** A sentence, read back from its file. */
function spoken(lang: Language, amount: string, volume = 100) {
  const clips = announcementClips(lang, amount)
  return { clips, audio: readRiff(writeWav(joinClips(pack, lang, clips, volume))) }
}

function expectWellSpoken(lang: Language, amount: string) {
  const { clips, audio } = spoken(lang, amount)
  const { ids, pausesMs, restMs } = takeApart(audio, pack[lang])
  expect(ids.join(' ')).toBe(clips)
  expect(pausesMs[0]).toBe(0)
  expect(Math.min(...pausesMs.slice(1), restMs)).toBeGreaterThanOrEqual(20)
  expect(restMs).toBeLessThan(LONGEST_GAP_MS)
  expect(longestGapMs(audio, SILENCE)).toBeLessThan(LONGEST_GAP_MS)
  const lengthMs = (1000 * audio.samples.length) / audio.rate
  expect(lengthMs).toBe(sentenceMs({ msPerClip: Number.NaN, ...times }, { lang, clips }))
}

describe.each(LANGUAGES)('a sentence in %s', (lang) => {
  it.each([
    ...['1', '5', '10', '15', '21', '105', '1000', '50000', '85000', '1234567'],
    ...['1000000000', '2000000005', '7777777777777', '9999999999999'],
  ])('about %s has the right clips in order, the speaker’s duration, and no gap', (amount) => {
    expectWellSpoken(lang, amount)
  })

  it('is correct for any amount', () => {
    const amounts = fc.maxSafeNat().map((number) => String((number % 9_999_999_999_999) + 1))
    fc.assert(
      fc.property(amounts, (amount) => expectWellSpoken(lang, amount)),
      { numRuns: 20 },
    )
  })

  it('follows the volume', () => {
    const full = spoken(lang, '50000').audio.samples
    const peak = (samples: Int16Array) =>
      samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak(full)).toBeGreaterThan(10_000)
    for (const volume of [1, 25, 50, 80]) {
      const { samples } = spoken(lang, '50000', volume).audio
      samples.forEach((sample, at) => {
        if (Math.abs(sample - ((full[at] ?? 0) * volume) / 100) > 0.5) throw new Error(`sample ${at}`)
      })
    }
    expect(peak(spoken(lang, '50000', 0).audio.samples)).toBe(0)
  })
})

it('names a clip that the pack lacks', () => {
  expect(() => joinClips(pack, 'vi', 'da-nhan thousand', 100)).toThrow('no clip thousand in vi')
})

it('the beep is three tones of 1760 Hz in 660 ms, and follows the volume', () => {
  const { rate, samples } = readRiff(writeWav(beep(100)))
  expect(samples.length / rate).toBe(0.66)
  const rises = [...samples].flatMap((sample, at) => (sample > 0 && (samples[at - 1] ?? 0) <= 0 ? [at] : []))
  const tones = rises.filter((at, index) => at - (rises[index - 1] ?? Number.NEGATIVE_INFINITY) > rate / 100)
  expect(tones.map((at) => Math.round((1000 * at) / rate))).toEqual([0, 220, 440])
  expect(rises.length).toBeCloseTo(3 * 0.14 * 1760, -1)
  expect(Math.max(...beep(50).samples)).toBeCloseTo(Math.max(...samples) / 2, -1)
})

describe('the chime', () => {
  const samples = chime()
  const part = (fromMs: number, toMs: number) => samples.slice(16 * fromMs, 16 * toMs)

  it('is two tones, C6 and then E6, and ends in silence', () => {
    expect(samples.length).toBe(16 * CHIME_MS)
    const [first, second] = [part(0, 110), part(130, 240)]
    expect(strengthOf(first, 1_046.5)).toBeGreaterThan(5 * strengthOf(first, 1_318.5))
    expect(strengthOf(second, 1_318.5)).toBeGreaterThan(2 * strengthOf(second, 1_046.5))
    const peak = (some: Int16Array) => Math.max(...some.map(Math.abs))
    expect(peak(samples)).toBeGreaterThan(8_000)
    expect(peak(samples)).toBeLessThan(16_000)
    expect(Math.abs(samples[0] ?? 1)).toBe(0)
    expect(peak(part(CHIME_MS - 1, CHIME_MS))).toBeLessThan(30)
  })

  it.each([100, 35, 0])('begins each announcement, at its volume: %i', (volume) => {
    const { audio } = spoken('en', '50000', volume)
    const begins = audio.samples.subarray(0, samples.length)
    expect([...begins]).toEqual([...samples.map((sample) => Math.round((sample * volume) / 100))])
  })
})

/** The amplitude of one tone. */
function strengthOf(samples: Int16Array, hertz: number): number {
  const turn = (2 * Math.PI * hertz) / 16_000
  const along = samples.reduce((sum, sample, at) => sum + sample * Math.cos(turn * at), 0)
  const across = samples.reduce((sum, sample, at) => sum + sample * Math.sin(turn * at), 0)
  return Math.hypot(along, across) / samples.length
}
