import { statfsSync } from 'node:fs'

/** Linux's file system in memory: a flush costs nothing there. */
const MEMORY_FOLDER = '/dev/shm'

/** A folder in memory with at least `roomBytes` free. Undefined when there is none. */
export function memoryFolder(roomBytes: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= roomBytes ? MEMORY_FOLDER : undefined
  } catch {
    return undefined
  }
}
