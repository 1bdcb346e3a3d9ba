import { fromMuLaw, toMuLaw } from './mulaw.ts'

/** One channel of sound. */
export interface Audio {
  /** Samples a second. */
  rate: number
  samples: Int16Array
}

export type WavCoding = 'pcm16' | 'mulaw'

/** The WAVE format tags of Microsoft's RIFF registrations. */
const FORMAT_TAG = { pcm16: 1, mulaw: 7 } as const satisfies Record<WavCoding, number>
const BYTES_PER_SAMPLE = { pcm16: 2, mulaw: 1 } as const satisfies Record<WavCoding, number>
/** RIFF with its length, WAVE, the format of 16 bytes, and the head of the data. */
const HEADER_BYTES = 44

/** A WAV file of one channel. Its numbers are little-endian on every machine. */
export function writeWav({ rate, samples }: Audio, coding: WavCoding = 'pcm16'): Uint8Array<ArrayBuffer> {
  const width = BYTES_PER_SAMPLE[coding]
  const bytes = width * samples.length
  // RIFF chunks start at even offsets.
  const file = new Uint8Array(HEADER_BYTES + bytes + (bytes % 2))
  const view = new DataView(file.buffer)
  putText(file, 0, 'RIFF')
  view.setUint32(4, file.length - 8, true)
  putText(file, 8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, FORMAT_TAG[coding], true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * width, true)
  view.setUint16(32, width, true)
  view.setUint16(34, 8 * width, true)
  putText(file, 36, 'data')
  view.setUint32(40, bytes, true)
  if (coding === 'mulaw') file.set(toMuLaw(samples), HEADER_BYTES)
  else samples.forEach((sample, index) => void view.setInt16(HEADER_BYTES + 2 * index, sample, true))
  return file
}

/** Reads a WAV file with one channel of 16-bit PCM or µ-law; throws an Error for any other. */
export function readWav(file: Uint8Array): Audio {
  if (textAt(file, 0) !== 'RIFF' || textAt(file, 8) !== 'WAVE') throw new Error('this is not a WAV file')
  const chunks = chunksOf(file)
  const format = chunks.get('fmt ')
  const data = chunks.get('data')
  if (!format || format.length < 16 || !data) throw new Error('the WAV file has no format or no data')
  const fields = viewOf(format)
  const tag = fields.getUint16(0, true)
  const bits = fields.getUint16(14, true)
  const rate = fields.getUint32(4, true)
  if (fields.getUint16(2, true) !== 1) throw new Error('the WAV file has more than one channel')
  if (tag === FORMAT_TAG.mulaw && bits === 8) return { rate, samples: fromMuLaw(data) }
  if (tag === FORMAT_TAG.pcm16 && bits === 16) return { rate, samples: samplesOf(data) }
  throw new Error('the WAV file is neither 16-bit PCM nor µ-law')
}

/** The chunks after the RIFF header, by id; a chunk that is longer than the file ends with the file. */
function chunksOf(file: Uint8Array): Map<string, Uint8Array> {
  const view = viewOf(file)
  const chunks = new Map<string, Uint8Array>()
  for (let at = 12; at + 8 <= file.length; ) {
    const size = view.getUint32(at + 4, true)
    chunks.set(textAt(file, at), file.subarray(at + 8, at + 8 + size))
    at += 8 + size + (size % 2)
  }
  return chunks
}

function samplesOf(data: Uint8Array): Int16Array {
  const view = viewOf(data)
  return Int16Array.from({ length: data.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** The id of a chunk: four characters. */
function textAt(file: Uint8Array, at: number): string {
  return String.fromCharCode(...file.subarray(at, at + 4))
}

function putText(file: Uint8Array, at: number, text: string) {
  file.set(
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
    at,
  )
}
