import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipIds } from '../../../protocol/money/sentence.ts'
import { chime } from '../../../simulator/sound/chime.ts'
import { fromAdpcm, toAdpcm } from '../../../simulator/sound/image/adpcm.ts'
import { halveRate } from '../../../simulator/sound/image/halve.ts'
import { speechImage } from '../../../simulator/sound/image/image.ts'
import { pauseAfterMs } from '../../../simulator/sound/join.ts'
import { toMuLaw } from '../../../simulator/sound/mulaw.ts'
import { loadPack } from '../../../simulator/sound/pack.ts'
import { builtCLine, missingForCore } from '../../protocol/c/build.ts'
import { temporaryFolder } from '../../support/folder.ts'

const missing = missingForCore()
if (missing !== undefined) process.stderr.write(`The speech of the firmware is not tested: ${missing}.\n`)

const PACK = loadPack()
const IMAGE = speechImage(PACK)
const SAMPLES_PER_MS = 8
const BLOCK = 160
/** The places of fields in an image: its CRC, and those of an entry. */
const CRC_AT = 4
const ENTRIES_AT = 16

describe.skipIf(missing !== undefined)('the speech of the firmware', () => {
  let program = ''
  const folder = temporaryFolder(afterAll)
  beforeAll(async () => {
    program = (await builtCLine()).speech
  })

  /** Plays a sound of an image. */
  function play(image: Uint8Array, volume: number, ...what: string[]) {
    writeFileSync(`${folder}/image`, image)
    const { status, stdout, stderr } = spawnSync(program, [`${folder}/image`, String(volume), ...what])
    return { status, sound: new Uint8Array(stdout), stderr: String(stderr) }
  }

  it.each(LANGUAGES)(
    'speaks each clip of %s as the image has it, with its pauses, in whole blocks',
    (lang) => {
      const clips = clipIds(lang)
      const { status, sound } = play(IMAGE, 100, lang, ...clips)
      expect(status).toBe(0)
      expect(sound.length % BLOCK).toBe(0)
      const expected = inBlocks(sentence(lang, clips))
      expect(sound.length).toBe(expected.length)
      expect(Buffer.from(sound).equals(toMuLaw(expected))).toBe(true)
    },
  )

  it('plays with the volume in percent', () => {
    const clips = announcementClips('vi', '1234567').split(' ')
    const { sound } = play(IMAGE, 35, 'vi', ...clips)
    const quieter = inBlocks(sentence('vi', clips)).map((sample) => Math.trunc((sample * 35) / 100))
    expect(Buffer.from(sound).equals(toMuLaw(quieter))).toBe(true)
  })

  it('beeps three times', () => {
    const { status, sound } = play(IMAGE, 100, 'beep')
    const isLoud = (ms: number) => sound.subarray(ms * 8, ms * 8 + 40).some((code) => (~code & 0x70) >= 0x50)
    expect([status, sound.length]).toEqual([0, 660 * SAMPLES_PER_MS])
    expect([70, 200, 290, 420, 510, 640].map(isLoud)).toEqual([true, false, true, false, true, false])
  })

  it('ends a sound that the board does not take to its end', () => {
    writeFileSync(`${folder}/image`, IMAGE)
    const env = { ...process.env, BLOCKS: '3' }
    const { status, stdout } = spawnSync(program, [`${folder}/image`, '100', 'beep'], { env })
    expect([status, stdout.length]).toEqual([5, 3 * BLOCK])
  })

  it('keeps the noise of the coding 18 dB below the voice', () => {
    let [power, noise] = [0, 0]
    for (const lang of LANGUAGES)
      for (const samples of PACK[lang].values()) {
        const half = halveRate(samples)
        const decoded = fromAdpcm(toAdpcm(half), half.length)
        half.forEach((sample, index) => {
          power += sample ** 2
          noise += (sample - (decoded[index] ?? 0)) ** 2
        })
      }
    expect(10 * Math.log10(power / noise)).toBeGreaterThan(18)
  })

  it('refuses an image with any bit that is wrong, one that is cut off, and none at all', () => {
    for (let at = 0; at < IMAGE.length; at += at < 200 ? 7 : 4_001)
      expect(play(changed(at, 0x10), 100, 'vi', '1').status).toBe(3)
    expect(play(IMAGE.subarray(0, -1), 100, 'vi', '1').status).toBe(3)
    expect(play(new Uint8Array(0), 100, 'vi', '1').status).toBe(3)
  })

  it('reads nothing outside of an image that lies about itself', () => {
    const lies = [8, 12, 13].map((at) => resealed(changed(at, 0x40)))
    // The offset, the length and the step of the last entry, and its id.
    const last = ENTRIES_AT + 20 * LANGUAGES.reduce((sum, lang) => sum + clipIds(lang).length, 0)
    lies.push(
      resealed(changed(last + 15, 0x7f)),
      resealed(changed(last + 17, 0x7f)),
      resealed(changed(last + 18, 0x80)),
    )
    for (const image of lies) {
      const { status, stderr } = play(image, 100, 'en', '1')
      expect([status, stderr]).toEqual([expect.toSatisfy((code) => code === 3 || code === 4), ''])
    }
    expect(play(resealed(changed(last, 1)), 100, 'en', '1').status).toBe(4)
    expect(play(resealed(changed(last, 1)), 100, 'vi', '1').status).toBe(0)
  })

  it('has no English in an image of Vietnamese', () => {
    const image = speechImage(PACK, ['vi'])
    expect(play(image, 100, 'vi', '1').status).toBe(0)
    expect(play(image, 100, 'en', '1').status).toBe(4)
  })
})

/** A sentence as a decoder of the image has it. */
function sentence(lang: Language, clips: readonly string[]): Int16Array {
  const coded = (samples: Int16Array) => {
    const half = halveRate(samples)
    return [...fromAdpcm(toAdpcm(half), half.length)]
  }
  const spoken = clips.flatMap((id) => [
    ...coded(PACK[lang].get(id) ?? new Int16Array()),
    ...Array<number>(pauseAfterMs(id) * SAMPLES_PER_MS).fill(0),
  ])
  return Int16Array.from([...coded(chime()), ...spoken])
}

function inBlocks(samples: Int16Array): Int16Array {
  const whole = new Int16Array(Math.ceil(samples.length / BLOCK) * BLOCK)
  whole.set(samples)
  return whole
}

function changed(at: number, bits: number): Uint8Array {
  const image = Uint8Array.from(IMAGE)
  image[at] = (image[at] ?? 0) ^ bits
  return image
}

/** With a CRC that fits. */
function resealed(image: Uint8Array): Uint8Array {
  Buffer.from(image.buffer).writeUInt32LE(crc32(image.subarray(CRC_AT + 4)), CRC_AT)
  return image
}
