import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { MOST_BYTES } from './format.ts'

/** What there is to be kept may be secret: codes and QRs. */
const OWNER_ONLY = 0o600

/** The file of a recording. Whatever goes wrong, it ends with a whole line. */
export interface TranscriptFile {
  /** Adds whole lines; throws when they can't be written, and then nothing of them stays. */
  append(lines: string): void
  /** Whether so many bytes more would be too many. */
  isFull(bytes: number): boolean
  close(): void
}

/** Makes the file; throws when there is one of that name. */
export function openTranscript(path: string): TranscriptFile {
  const file = openSync(path, 'wx', OWNER_ONLY)
  let length = 0
  return {
    // Given to the system line by line: after a kill at any moment all lines are there but the last.
    append: (lines) => {
      const bytes = Buffer.from(lines)
      try {
        writeAll(file, bytes, length)
        length += bytes.length
      } catch (error) {
        ftruncateSync(file, length)
        throw error
      }
    },
    isFull: (bytes) => length + bytes > MOST_BYTES,
    close: () => closeSync(file),
  }
}

/** A disk that gets full takes a part of it first. */
function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
}
