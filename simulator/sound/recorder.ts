import { accessSync, constants } from 'node:fs'
import { link, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/error-text.ts'
import { makeFolder } from '../platform/make-folder.ts'
import type { Recorder } from './voice.ts'
import { writeWav } from './wav.ts'

/** Recordings with the same name: a number repeats only when a hub or a speaker was set up again. */
const MOST_OF_A_NAME = 1_000

/**
 * Writes each sound of a speaker as `SERIAL-000042-50000VND.wav` into a folder, which it creates if necessary. Throws
 * at once when the folder is not writable. Files appear whole or not at all, and no file is overwritten: an existing
 * name gets the suffix `-2`, `-3` …
 */
export function createRecorder(dir: string, serial: string): Recorder {
  makeFolder(dir)
  accessSync(dir, constants.W_OK)
  let previous: Promise<unknown> = Promise.resolve()
  return {
    record: (n, what, audio) => {
      const name = `${serial}-${String(n).padStart(6, '0')}-${what}`
      const file = previous.then(() => write(dir, name, writeWav(audio)))
      previous = file.catch(() => undefined)
      return file
    },
  }
}

/** Writes under a temporary name, then links: unlike a rename, a link overwrites nothing. */
async function write(dir: string, name: string, bytes: Uint8Array): Promise<string> {
  const temporary = join(dir, `.${name}.${process.pid}.tmp`)
  try {
    await writeFile(temporary, bytes)
    for (let nth = 1; nth <= MOST_OF_A_NAME; nth += 1) {
      const file = join(dir, nth === 1 ? `${name}.wav` : `${name}-${nth}.wav`)
      if (await linked(temporary, file)) return file
    }
    throw new Error(`there are ${MOST_OF_A_NAME} recordings named ${name}`)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function linked(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
