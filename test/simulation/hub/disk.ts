import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's folder in memory: what is tested is what was committed, and a disk's flush would only cost time. */
const MEMORY_FOLDER = '/dev/shm'

/** The folder in which worlds keep their files. */
export function createDisk(): Disk {
  const folder = mkdtempSync(
    join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'soundbox-simulation-'),
  )
  let copies = 0
  return {
    folder,
    copy(database) {
      copies += 1
      const file = join(folder, `hub-${copies}.db`)
      copyFileSync(database, file)
      // Its index (-shm) is left out, as after a crash of the machine: SQLite makes it anew from the log.
      if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${file}-wal`)
      return file
    },
    forget(database) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export interface Disk {
  folder: string
  /** A database as a crash at this moment would leave it: the file and its log, copied. Answers the copy's name. */
  copy(database: string): string
  forget(database: string): void
  remove(): void
}
