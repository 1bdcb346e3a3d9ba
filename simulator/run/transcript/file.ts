import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { MOST_BYTES } from './format.ts'

/** A transcript contains secrets: codes and QRs. */
const OWNER_ONLY = 0o600

/** The file of a transcript. After any error, it still ends with a whole line. */
export interface TranscriptFile {
  /** Appends whole lines; when it throws, none of them are in the file. */
  append(lines: string): void
  /** Whether this many more bytes would exceed the limit. */
  isFull(bytes: number): boolean
  close(): void
}

/** Creates the file; throws when it exists. */
export function openTranscript(path: string): TranscriptFile {
  const file = openSync(path, 'wx', OWNER_ONLY)
  let length = 0
  return {
    // Every call writes to the system: after a kill, at most the last line is incomplete.
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

/** Repeats partial writes, which happen before a disk is full. */
function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
}
