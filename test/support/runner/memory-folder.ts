import { statfsSync } from 'node:fs'

/** Linux's folder in memory: what is written there need not be flushed to a disk. */
const MEMORY_FOLDER = '/dev/shm'

/** A folder in memory with so much room; undefined where there is none. */
export function memoryFolder(roomBytes: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= roomBytes ? MEMORY_FOLDER : undefined
  } catch {
    return undefined
  }
}
