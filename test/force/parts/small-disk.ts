import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import type { OwnHub } from '../../support/processes/own-hub.ts'
import type { Stage } from '../scenario.ts'

/** A data folder on a full disk, and a way to make room. */
export interface SmallDisk {
  /** A description for the report. */
  how: string
  dataDir: string
  /** Fills the disk up to some ten kilobytes. */
  fill(hub: Pick<OwnHub, 'pid'>): void
  makeRoom(hub: Pick<OwnHub, 'pid'>): void
}

/** Room that is left when the disk is full: enough for some payments. */
const LEFT_BYTES = 60 * 1024

/** The size of the tmpfs: the limit for the database and its log. */
const TMPFS_BYTES = 64 * 1024 * 1024

/** A real file system without room: ENOSPC. Mounting it needs root. */
export function tmpfsDisk({ onEnd }: Pick<Stage, 'onEnd'>): SmallDisk | { missing: string } {
  const dataDir = temporaryFolder(onEnd)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_BYTES},mode=700`, 'tmpfs', dataDir])
  if (mounted.status !== 0) return { missing: 'only root may mount a tmpfs' }
  onEnd(() => void spawnSync('umount', ['-l', dataDir]))
  const ballast = join(dataDir, 'ballast')
  return {
    how: 'a tmpfs without room',
    dataDir,
    fill() {
      const { stdout } = spawnSync('df', ['--output=avail', '-B1', dataDir], { encoding: 'utf8' })
      const free = Number(stdout.trim().split('\n').at(-1))
      writeFileSync(ballast, Buffer.alloc(Math.max(0, free - LEFT_BYTES)))
    },
    makeRoom: () => rmSync(ballast),
  }
}

/** A limit on the size of the hub's files: EFBIG. Any user of Linux may set it. */
export function limitedFiles({ onEnd }: Pick<Stage, 'onEnd'>): SmallDisk | { missing: string } {
  if (spawnSync('prlimit', ['--version']).status !== 0) return { missing: 'prlimit is not installed' }
  const dataDir = join(temporaryFolder(onEnd), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const limit = (pid: number, bytes: number | 'unlimited') => {
    const set = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
    if (set.status !== 0) throw new Error(`prlimit: ${String(set.stderr)}`)
  }
  return {
    how: 'a limit on the size of its files',
    dataDir,
    fill: (hub) => limit(hub.pid(), statSync(join(dataDir, 'hub.db-wal')).size + LEFT_BYTES),
    makeRoom: (hub) => limit(hub.pid(), 'unlimited'),
  }
}
