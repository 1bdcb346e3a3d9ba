import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, messageOf } from '../../platform/error-text.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { isAlive } from '../../platform/process-alive.ts'
import { MemoryError } from './memory.ts'

/**
 * Makes sure that one process at a time is a speaker with this memory: two of one serial push each other off
 * the hub, and each forgets what the other has played. A lock that a killed process left behind is taken over.
 * Throws a `MemoryError` when another one runs; the returned function gives the lock up.
 */
export function lockMemory(dir: string, serial: string, pid: number): () => void {
  const path = join(dir, `${serial}.lock`)
  const take = () => writeFileSync(path, String(pid), { flag: 'wx', mode: 0o600 })
  try {
    makeFolder(dir)
    try {
      take()
    } catch (error) {
      if (isHeld(path, pid, error)) throw new MemoryError(heldBy(serial))
      rmSync(path, { force: true })
      take()
    }
  } catch (error) {
    if (error instanceof MemoryError) throw error
    throw new MemoryError(`can't lock the speaker's memory ${path}: ${messageOf(error)}`)
  }
  return () => rmSync(path, { force: true })
}

function heldBy(serial: string): string {
  return `Another simulator is running as ${serial} on this folder: stop it, or name another folder with --state.`
}

/** Whether the file that stands in the way belongs to a process that lives. */
function isHeld(path: string, pid: number, error: unknown): boolean {
  if (errorCode(error) !== 'EEXIST') throw error
  const holder = Number.parseInt(readFileSync(path, 'utf8'), 10)
  return Number.isInteger(holder) && holder !== pid && isAlive(holder)
}
