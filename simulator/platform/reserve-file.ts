import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileTrouble } from './error-text.ts'
import { CannotStart, WrongUsage } from './errors.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Makes sure, before a run begins, that the file of an option can be written; the returned function writes it. Until then
 * the file is empty: results of an earlier run must not pass for those of this one. Throws `WrongUsage`; later, on a full
 * disk for example, `CannotStart`.
 */
export function reserveFile(option: string, file: string): (text: string) => void {
  const attempt = (act: () => void, Failure: typeof CannotStart) => {
    try {
      act()
    } catch (error) {
      throw new Failure(`${option}: ${file} can't be written: ${fileTrouble(error)}`)
    }
  }
  attempt(() => {
    makeFolder(dirname(file))
    writeFileSync(file, '')
  }, WrongUsage)
  return (text) => attempt(() => writeFileSync(file, text), CannotStart)
}
