import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { clipIds } from '../../../protocol/money/sentence.ts'
import { loudnessOf, peakOf, silencesOf } from '../../../simulator/sound/check/measure.ts'
import { checkPack } from '../../../simulator/sound/check/pack.ts'
import { clipFile, PACK_DIR } from '../../../simulator/sound/clip-files.ts'
import { fillVoices } from '../../../simulator/sound/generate/voice-tables.ts'
import { readWav, writeWav } from '../../../simulator/sound/wav.ts'
import { ROOT } from '../../support/docs/markdown.ts'
import { temporaryFolder } from '../../support/folder.ts'

const RATE = 16_000
const MANIFEST = {
  version: '1.0.0',
  licence: 'CC-BY-4.0',
  sampleRate: RATE,
  loudness: -17,
  voices: { vi: 'A voice' },
}

/** Samples of a tone, in milliseconds and as a share of full scale, softened at its ends. */
function tone(ms: number, share: number, hertz = 300) {
  return Int16Array.from({ length: 16 * ms }, (_, at) => {
    const edge = Math.min(1, at / 80, (16 * ms - 1 - at) / 80)
    return Math.round(32_767 * share * edge * Math.sin((2 * Math.PI * hertz * at) / RATE))
  })
}

const silence = (ms: number) => new Int16Array(16 * ms)
const wav = (...parts: Int16Array[]) =>
  writeWav({ rate: RATE, samples: Int16Array.from(parts.flatMap((part) => [...part])) })

/** The amplitude of a tone of −17 dBFS, because a sine has 3 dB less than its peak. */
const LEVEL = 10 ** ((-17 + 3.01) / 20)

/** A good pack of Vietnamese, `spoil` makes it another one. */
function packWith(spoil: (dir: string, file: string) => void, manifest: object = MANIFEST) {
  const dir = temporaryFolder()
  cpSync(join(PACK_DIR, 'vi'), join(dir, 'vi'), { recursive: true })
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest))
  spoil(dir, clipFile(dir, 'vi', '5'))
  return dir
}

describe('the check of a clip pack', () => {
  it('finds nothing wrong with the simulator’s own, and describes its languages', () => {
    expect(checkPack(PACK_DIR)).toEqual({
      mistakes: [],
      languages: [
        expect.stringMatching(/^vi: 21 clips, \d+\.\d s, -\d+\.\d to -\d+\.\d dBFS, espeak-ng 1\.51, /),
        expect.stringMatching(/^en: 34 clips, \d+\.\d s, -\d+\.\d to -\d+\.\d dBFS, espeak-ng 1\.51, /),
      ],
    })
  })

  it('asks for the clips of the vectors', () => {
    const { packs } = JSON.parse(readFileSync(join(ROOT, 'protocol/vectors/clips.json'), 'utf8'))
    for (const lang of LANGUAGES) expect([...clipIds(lang)].sort()).toEqual(Object.keys(packs[lang]).sort())
  })

  it('takes a pack of one language, in PCM too, with a licence and hidden files beside it', () => {
    const dir = packWith((folder, file) => {
      writeFileSync(file, wav(silence(29), tone(300, LEVEL), silence(39)))
      writeFileSync(join(folder, 'LICENSE'), '')
      writeFileSync(join(folder, 'vi', '.DS_Store'), '')
    })
    expect(checkPack(dir).mistakes).toEqual([])
  })

  it.each<[string, (dir: string, file: string) => void, RegExp | string]>([
    ['a missing clip', (_, file) => rmSync(file), 'it is missing; it says “Năm”'],
    ['a file that is no WAV', (_, file) => writeFileSync(file, 'ID3'), 'this is not a WAV file'],
    [
      'a clip at another rate',
      (_, file) => writeFileSync(file, writeWav({ rate: 44_100, samples: tone(300, LEVEL) })),
      'its sample rate is 44100, not 16000 Hz',
    ],
    ['silence', (_, file) => writeFileSync(file, wav(silence(300))), 'it is silent'],
    ['an empty clip', (_, file) => writeFileSync(file, wav()), 'it is silent'],
    [
      'a short clip',
      (_, file) => writeFileSync(file, wav(tone(99, LEVEL))),
      /^it takes 99 ms; a clip takes 100 /,
    ],
    ['a long clip', (_, file) => writeFileSync(file, wav(tone(1_001, LEVEL))), /^it takes 1001 ms/],
    [
      'silence before the word',
      (_, file) => writeFileSync(file, wav(silence(32), tone(300, LEVEL))),
      /^it begins with 32\.\d ms of silence; at most 30 are allowed$/,
    ],
    [
      'silence after the word',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL), silence(42))),
      /^it ends with 42\.\d ms of silence; at most 40 are allowed$/,
    ],
    [
      'silence within the word',
      (_, file) => writeFileSync(file, wav(tone(200, LEVEL), silence(121), tone(200, LEVEL))),
      /^it is silent for 12\d\.\d ms in the middle; at most 120 are allowed$/,
    ],
    [
      'a clip that is too loud for a moment',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL), tone(12, 0.95, 1_000), tone(300, LEVEL))),
      /^its peak is -0\.\d dBFS; above -1 it counts as clipped$/,
    ],
    [
      'a soft clip',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL / 1.8))),
      /^its loudness is -22\.\d dBFS; the manifest says -17, and 4 dB off are allowed$/,
    ],
    [
      'a loud clip',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL * 1.8))),
      /^its loudness is -11\.\d /,
    ],
    [
      'a click at the beginning',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL).subarray(24))),
      'it begins with a click: fade it in',
    ],
    [
      'a click at the end',
      (_, file) => writeFileSync(file, wav(tone(300, LEVEL).subarray(0, -24))),
      'it ends with a click: fade it out',
    ],
    [
      'a copy of another clip',
      (dir, file) => copyFileSync(clipFile(dir, 'vi', '4'), file),
      'it has the same sound as vi/4.wav',
    ],
  ])('names %s by its file', (_, spoil, reason) => {
    const { mistakes } = checkPack(packWith(spoil))
    const said = mistakes.map((mistake) => mistake.replace(/^vi\/5\.wav: /, ''))
    expect(said).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)])
    expect(mistakes[0]).toMatch(/^vi\/5\.wav: /)
  })

  it('names what is too much: a file, and a folder that the manifest does not name', () => {
    const dir = packWith((folder) => {
      writeFileSync(join(folder, 'vi', '5 (2).wav'), '')
      mkdirSync(join(folder, 'en'))
    })
    expect(checkPack(dir).mistakes).toEqual([
      'en: manifest.json names no voice of such a language',
      'vi/5 (2).wav: this is no clip of the language',
    ])
  })

  it('names every clip of a language without a folder', () => {
    const dir = packWith(() => undefined, { ...MANIFEST, voices: { vi: 'A voice', en: 'Another' } })
    expect(checkPack(dir).mistakes).toEqual(
      clipIds('en').map((clip) =>
        expect.stringMatching(new RegExp(`^en/${clip}\\.wav: it is missing; it says “`)),
      ),
    )
  })

  it.each<[unknown, string]>([
    [{ ...MANIFEST, version: 1 }, 'version must be three numbers, such as "1.0.0"'],
    [{ ...MANIFEST, licence: ' ' }, 'licence must be a line of 1 to 200 characters'],
    [{ ...MANIFEST, licence: undefined }, 'licence must be a line of 1 to 200 characters'],
    [{ ...MANIFEST, sampleRate: 48_000 }, 'sampleRate must be 16000'],
    [{ ...MANIFEST, loudness: -24 }, 'loudness must be a number of dBFS from -23 to -12'],
    [{ ...MANIFEST, loudness: '-17' }, 'loudness must be a number of dBFS from -23 to -12'],
    [
      { ...MANIFEST, voices: {} },
      'voices must name the voice of each language of the pack: vi or en, or both',
    ],
    [{ ...MANIFEST, license: 'MIT' }, 'has the unknown field license'],
    [[], 'must be a JSON object'],
  ])('names a mistake in the manifest: %j', (manifest, mistake) => {
    const dir = packWith(() => undefined, Object(manifest))
    expect(checkPack(dir).mistakes).toEqual([`manifest.json: ${mistake}`])
  })

  it('names a manifest that is missing or no JSON, and checks the clips all the same', () => {
    const missing = packWith((dir, file) => {
      rmSync(join(dir, 'manifest.json'))
      rmSync(file)
    })
    expect(checkPack(missing).mistakes).toEqual([
      'manifest.json: there is no such file',
      'vi/5.wav: it is missing; it says “Năm”',
    ])
    const broken = packWith((dir) => writeFileSync(join(dir, 'manifest.json'), '{'))
    expect(checkPack(broken).mistakes).toEqual(['manifest.json: this is not JSON'])
  })

  it('throws where there is no folder', () => {
    expect(() => checkPack(join(temporaryFolder(), 'none'))).toThrow(/ENOENT/)
  })
})

describe('loudness', () => {
  const levelOf = (...parts: Int16Array[]) => loudnessOf(readWav(wav(...parts)))

  it('is in dBFS: a square wave of full scale has 0, a sine 3 dB less', () => {
    const square = new Int16Array(16 * 300).map((_, at) => (at % 32 < 16 ? 32_767 : -32_767))
    expect(levelOf(square)).toBeCloseTo(0, 3)
    expect(levelOf(tone(1_000, 1))).toBeCloseTo(-3, 0)
    expect(levelOf(tone(1_000, 0.1))).toBeCloseTo(-23, 0)
  })

  it('counts no pause and no faint end', () => {
    const alone = levelOf(tone(400, 0.3))
    expect(levelOf(tone(400, 0.3), silence(300))).toBeCloseTo(alone, 0)
    expect(levelOf(tone(400, 0.3), tone(400, 0.03))).toBeCloseTo(alone, 0)
  })

  it('is measured of clips that are shorter than a block, and none is as loud as its peak', () => {
    const short = { rate: RATE, samples: tone(20, 0.5) }
    expect(loudnessOf(short)).toBeGreaterThan(-15)
    expect(loudnessOf(short)).toBeLessThan(peakOf(short))
  })
})

it('silence is measured in milliseconds: before, within and after a word', () => {
  const parts = [
    silence(20),
    new Int16Array(160).fill(900),
    silence(50),
    new Int16Array(160).fill(900),
    silence(7),
  ]
  expect(silencesOf(readWav(wav(...parts)))).toEqual({ startMs: 20, gapMs: 50, endMs: 7 })
})

it('docs/voices.md has the clips and limits of the code: npm run simulator:generate writes them', () => {
  const page = readFileSync(join(ROOT, 'docs/voices.md'), 'utf8')
  expect(page).toBe(fillVoices(page))
})
