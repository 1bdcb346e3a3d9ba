import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clipIds } from '../../../protocol/money/sentence.ts'
import { clipFile, LANGUAGES, PACK_DIR } from '../../../simulator/sound/clip-files.ts'
import { loadPack } from '../../../simulator/sound/pack.ts'
import { writeWav } from '../../../simulator/sound/wav.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { longestGapMs, readRiff } from '../support/wav.ts'

/** The size limit in the repository. */
const MOST_BYTES = 400_000

describe.each(LANGUAGES)('the clip pack of %s', (lang) => {
  it('contains the clips of the protocol, and nothing else', () => {
    const files = clipIds(lang).map((clip) => `${clip}.wav`)
    expect(readdirSync(join(PACK_DIR, lang)).sort()).toEqual([...files].sort())
  })

  it.each(clipIds(lang))('%s is audible, fades in and out, and has no gap', (clip) => {
    const { rate, samples } = readRiff(readFileSync(clipFile(PACK_DIR, lang, clip)))
    expect(rate).toBe(16_000)
    const lengthMs = samples.length / 16
    expect(lengthMs).toBe(Math.trunc(lengthMs))
    expect(lengthMs).toBeGreaterThan(120)
    expect(lengthMs).toBeLessThan(800)
    const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)
    expect(loudness).toBeGreaterThan(1_500)
    expect(Math.abs(samples[0] ?? 0)).toBeLessThan(100)
    expect(Math.abs(samples.at(-1) ?? 0)).toBeLessThan(100)
    expect(longestGapMs({ rate, samples }, 0.02)).toBeLessThan(120)
  })

  it('is parsed as it is written', () => {
    for (const [clip, samples] of loadPack()[lang])
      expect(samples, clip).toEqual(readRiff(readFileSync(clipFile(PACK_DIR, lang, clip))).samples)
  })

  it('has a different sound for every word', () => {
    const spoken = [...loadPack()[lang].values()].map((samples) => samples.join())
    expect(new Set(spoken).size).toBe(spoken.length)
  })
})

it('the clips are small', () => {
  const bytes = LANGUAGES.flatMap((lang) =>
    clipIds(lang).map((clip) => statSync(clipFile(PACK_DIR, lang, clip)).size),
  )
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
})

describe('another pack', () => {
  it.each([
    ['of which a clip is missing', () => {}, /0\.wav can't be used: ENOENT/],
    ['that is no WAV', (file: string) => writeFileSync(file, 'ID3'), /this is not a WAV file/],
    [
      'at another rate',
      (file: string) => writeFileSync(file, writeWav({ rate: 8_000, samples: new Int16Array(80) })),
      /its sample rate is 8000, not 16000 Hz/,
    ],
  ])('with %s is refused with the name of the clip', (_, spoil, sentence) => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, 'vi'))
    spoil(clipFile(dir, 'vi', '0'))
    expect(() => loadPack(dir)).toThrow(sentence)
  })
})
