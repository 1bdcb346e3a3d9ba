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

/** A WAV file of one channel. */
export function writeWav({ rate, samples }: Audio, coding: WavCoding = 'pcm16'): Buffer {
  const data = coding === 'mulaw' ? Buffer.from(toMuLaw(samples)) : pcmOf(samples)
  const width = BYTES_PER_SAMPLE[coding]
  const format = Buffer.alloc(16)
  format.writeUInt16LE(FORMAT_TAG[coding], 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(rate * width, 8)
  format.writeUInt16LE(width, 12)
  format.writeUInt16LE(8 * width, 14)
  const body = Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data)])
  return chunk('RIFF', body)
}

/** Reads a WAV file with one channel of 16-bit PCM or µ-law; throws an Error for any other. */
export function readWav(file: Buffer): Audio {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('this is not a WAV file')
  const chunks = chunksOf(file)
  const format = chunks.get('fmt ')
  const data = chunks.get('data')
  if (!format || format.length < 16 || !data) throw new Error('the WAV file has no format or no data')
  const tag = format.readUInt16LE(0)
  const bits = format.readUInt16LE(14)
  const rate = format.readUInt32LE(4)
  if (format.readUInt16LE(2) !== 1) throw new Error('the WAV file has more than one channel')
  if (tag === FORMAT_TAG.mulaw && bits === 8) return { rate, samples: fromMuLaw(data) }
  if (tag === FORMAT_TAG.pcm16 && bits === 16) return { rate, samples: samplesOf(data) }
  throw new Error('the WAV file is neither 16-bit PCM nor µ-law')
}

function chunk(id: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(id, 'latin1')
  head.writeUInt32LE(body.length, 4)
  // RIFF chunks start at even offsets.
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

/** The chunks after the RIFF header, by id; a chunk that is longer than the file ends with the file. */
function chunksOf(file: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4)
    chunks.set(file.toString('latin1', at, at + 4), file.subarray(at + 8, at + 8 + size))
    at += 8 + size + (size % 2)
  }
  return chunks
}

/** WAV is little-endian on every machine. */
function pcmOf(samples: Int16Array): Buffer {
  const data = Buffer.alloc(2 * samples.length)
  samples.forEach((sample, index) => {
    data.writeInt16LE(sample, 2 * index)
  })
  return data
}

function samplesOf(data: Buffer): Int16Array {
  return Int16Array.from({ length: data.length >> 1 }, (_, index) => data.readInt16LE(2 * index))
}
