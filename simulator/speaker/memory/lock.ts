import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, messageOf } from '../../platform/error-text.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { isAlive } from '../../platform/process-alive.ts'
import { MemoryError } from './memory.ts'

/**
 * Allows one process at a time to use this memory: two speakers of one serial would take over each other's session, and
 * overwrite each other's `played`. Takes over the lock of a killed process. Throws a `MemoryError` when another process
 * holds the lock; the returned function releases it.
 */
export function lockMemory(dir: string, serial: string, pid: number): () => void {
  const path = join(dir, `${serial}.lock`)
  const take = () => writeFileSync(path, String(pid), { flag: 'wx', mode: 0o600 })
  try {
    makeFolder(dir)
    try {
      take()
    } catch (error) {
      const holder = holderOf(path, pid, error)
      if (holder !== undefined) throw new MemoryError(heldBy(serial, holder))
      rmSync(path, { force: true })
      take()
    }
  } catch (error) {
    if (error instanceof MemoryError) throw error
    throw new MemoryError(`can't lock the speaker's memory ${path}: ${messageOf(error)}`)
  }
  return () => rmSync(path, { force: true })
}

function heldBy(serial: string, pid: number): string {
  return `Another simulator, pid ${pid}, is running as ${serial} on this folder: stop it, or name another folder with --state.`
}

/** The live process that holds the existing lock. */
function holderOf(path: string, pid: number, error: unknown): number | undefined {
  if (errorCode(error) !== 'EEXIST') throw error
  const holder = Number.parseInt(readFileSync(path, 'utf8'), 10)
  return Number.isInteger(holder) && holder !== pid && isAlive(holder) ? holder : undefined
}
