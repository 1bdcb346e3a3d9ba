import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileTrouble } from '../../../platform/error-text.ts'
import { WrongUsage } from '../../../platform/errors.ts'
import { makeFolder } from '../../../platform/make-folder.ts'
import { junitOf } from './junit.ts'
import type { FileResult } from './results.ts'

/**
 * Makes sure that the file can be written, before anything is played; the returned function writes it. Throws
 * `WrongUsage`. Until then the file is empty: results of an earlier run must not pass for those of this one.
 */
export function reserveJunit(file: string): (results: readonly FileResult[], startedAt: Date) => void {
  try {
    makeFolder(dirname(file))
    writeFileSync(file, '')
  } catch (error) {
    throw new WrongUsage(`--junit: ${file} can't be written: ${fileTrouble(error)}`)
  }
  return (results, startedAt) => writeFileSync(file, junitOf(results, startedAt))
}
