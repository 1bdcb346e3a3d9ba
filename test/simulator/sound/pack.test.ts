import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { clipIds } from '../../../protocol/money/sentence.ts'
import { clipFile, PACK_DIR } from '../../../simulator/sound/clip-files.ts'
import { loadPack } from '../../../simulator/sound/pack.ts'
import { setUpSound } from '../../../simulator/sound/set-up.ts'
import { writeWav } from '../../../simulator/sound/wav.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readRiff } from '../support/wav.ts'

/** The size limit in the repository. */
const MOST_BYTES = 400_000

describe.each(LANGUAGES)('the clip pack of %s', (lang) => {
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
  /** A folder with a copy of the Vietnamese clips, and a manifest that names them alone. */
  function vietnamese() {
    const dir = temporaryFolder()
    cpSync(join(PACK_DIR, 'vi'), join(dir, 'vi'), { recursive: true })
    const manifest = JSON.parse(readFileSync(join(PACK_DIR, 'manifest.json'), 'utf8'))
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify({ ...manifest, voices: { vi: 'A voice' } }))
    return dir
  }

  it('speaks its own language, and leaves the others to the simulator’s pack', () => {
    const dir = vietnamese()
    const samples = new Int16Array(16 * 200).fill(7)
    writeFileSync(clipFile(dir, 'vi', '5'), writeWav({ rate: 16_000, samples }))
    const [own, other] = [loadPack(), loadPack(dir)]
    expect(other.vi.get('5')).toEqual(samples)
    expect(other.vi.get('6')).toEqual(own.vi.get('6'))
    expect(other.en).toEqual(own.en)
    const sounding = setUpSound({
      ...{ serial: 'SPK-0001', sound: true, recordDir: undefined, voiceDir: dir, searchPath: undefined },
    })
    expect(sounding?.config).toMatchObject({ chimeMs: 450, clipLengths: { vi: { '5': 200 + 30 } } })
  })

  it('gets silence up to a whole millisecond', () => {
    const dir = vietnamese()
    writeFileSync(
      clipFile(dir, 'vi', '5'),
      writeWav({ rate: 16_000, samples: new Int16Array(16 * 200 + 1).fill(7) }),
    )
    const samples = loadPack(dir).vi.get('5') ?? new Int16Array(0)
    expect(samples.length).toBe(16 * 201)
    expect([...samples.subarray(16 * 200)]).toEqual([7, ...Array(15).fill(0)])
  })

  it.each([
    [
      'of which a clip is missing',
      (file: string) => rmSync(file),
      /0\.wav can't be used: there is no such file/,
    ],
    ['that is no WAV', (file: string) => writeFileSync(file, 'ID3'), /this is not a WAV file/],
    [
      'at another rate',
      (file: string) => writeFileSync(file, writeWav({ rate: 8_000, samples: new Int16Array(80) })),
      /its sample rate is 8000, not 16000 Hz/,
    ],
    [
      'without a manifest',
      (file: string) => rmSync(join(file, '../../manifest.json')),
      /^manifest\.json of \S+: there is no such file$/,
    ],
  ])('%s is refused with the name of the file', (_, spoil, sentence) => {
    const dir = vietnamese()
    spoil(clipFile(dir, 'vi', '0'))
    expect(() => loadPack(dir)).toThrow(sentence)
  })
})
