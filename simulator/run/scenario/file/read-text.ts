import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { guess } from '../../../../protocol/text/nearest.ts'
import { errorCode, fileTrouble } from '../../../platform/error-text.ts'
import { ScenarioError } from './scenario-error.ts'

const MOST_BYTES = 1024 * 1024

/** The text of a scenario file, which may be a pipe. Throws a `ScenarioError`. */
export function readText(file: string): string {
  const bytes = readBytes(file)
  const fail = (message: string, line?: number): never => {
    throw new ScenarioError([{ file, line, message }])
  }
  if (bytes.length > MOST_BYTES) return fail('the file is larger than 1 MiB: a scenario is not')
  const zero = bytes.indexOf(0)
  if (zero >= 0) return fail('this is not text: there is a byte 0', lineAt(bytes, zero))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fail('this is not text in UTF-8', lineAt(bytes, firstBadByte(bytes)))
  }
}

/** All bytes of the file, or more than the most that a scenario may have. */
function readBytes(file: string): Buffer {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const chunks: Buffer[] = []
      let length = 0
      for (;;) {
        const chunk = Buffer.alloc(64 * 1024)
        const read = readSync(descriptor, chunk)
        chunks.push(chunk.subarray(0, read))
        length += read
        if (read === 0 || length > MOST_BYTES) return Buffer.concat(chunks)
      }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const instead = errorCode(error) === 'ENOENT' ? otherFile(file) : ''
    throw new ScenarioError([{ file, message: `it can't be read: ${fileTrouble(error)}${instead}` }])
  }
}

/** The file beside it that was probably meant. */
function otherFile(file: string): string {
  try {
    const meant = guess(basename(file), readdirSync(dirname(file)))
    return meant === undefined ? '' : `; did you mean "${join(dirname(file), meant)}"?`
  } catch {
    return ''
  }
}

function lineAt(bytes: Buffer, index: number): number {
  return bytes.subarray(0, index).filter((byte) => byte === 0x0a).length + 1
}

/** The first byte that differs from what its text would be written as. */
function firstBadByte(bytes: Buffer): number {
  const rewritten = Buffer.from(bytes.toString('utf8'))
  return bytes.findIndex((byte, index) => byte !== rewritten[index])
}
