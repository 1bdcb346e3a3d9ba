import { crc32 } from 'node:zlib'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import type { ClipPack } from '../audio.ts'
import { chime } from '../chime.ts'
import { pauseAfterMs } from '../join.ts'
import { toAdpcm } from './adpcm.ts'
import { halveRate } from './halve.ts'

/**
 * The clips of a device with little flash, as one file that is programmed beside the firmware. Its bytes are documented
 * at the reader, protocol/examples/c/mcu/speech.h.
 */

const MAGIC = 'SB1V'
const HEADER_BYTES = 16
const ENTRY_BYTES = 20
const ID_BYTES = 12
const PAUSE_UNIT_MS = 10
/** The CRC-32 covers the image from here. */
const COVERED_FROM = 8

interface Entry {
  id: string
  pauseMs: number
  samples: Int16Array
}

/** The image of some languages of a pack. A RangeError if a clip does not fit the format. */
export function speechImage(pack: ClipPack, languages: readonly Language[] = LANGUAGES): Uint8Array {
  const spoken = LANGUAGES.map((lang) => (languages.includes(lang) ? clipsOf(pack, lang) : []))
  const entries = [{ id: 'chime', pauseMs: 0, samples: halveRate(chime()) }, ...spoken.flat()]
  const coded = entries.map((entry) => ({ ...entry, ...toAdpcm(entry.samples) }))
  const start = HEADER_BYTES + ENTRY_BYTES * entries.length
  const image = Buffer.alloc(coded.reduce((sum, { bytes }) => sum + bytes.length, start))
  image.write(MAGIC, 0, 'latin1')
  image.writeUInt32LE(image.length, 8)
  spoken.forEach((clips, index) => void image.writeUInt8(clips.length, 12 + index))
  let offset = start
  coded.forEach(({ id, pauseMs, samples, stepIndex, bytes }, index) => {
    const at = HEADER_BYTES + ENTRY_BYTES * index
    if (id.length >= ID_BYTES) throw new RangeError(`the id ${id} has more than ${ID_BYTES - 1} characters`)
    image.write(id, at, 'latin1')
    image.writeUInt32LE(offset, at + 12)
    image.writeUInt16LE(samples.length, at + 16)
    image.writeUInt8(stepIndex, at + 18)
    image.writeUInt8(pauseMs / PAUSE_UNIT_MS, at + 19)
    image.set(bytes, offset)
    offset += bytes.length
  })
  image.writeUInt32LE(crc32(image.subarray(COVERED_FROM)), 4)
  return image
}

function clipsOf(pack: ClipPack, lang: Language): Entry[] {
  return [...pack[lang]].map(([id, samples]) => ({
    id,
    pauseMs: pauseAfterMs(id),
    samples: halveRate(samples),
  }))
}
