import { closeSync, copyFileSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFolder } from '../../support/runner/memory-folder.ts'
import type { Figure } from '../parts/table.ts'
import { ACTS, benchActs } from './acts.ts'
import type { Both } from './figures.ts'
import { benchGrownSpeakers, benchGrownStart, benchGrownWork, EFFORT } from './hubs.ts'
import { benchLists, LISTS } from './lists.ts'
import { databaseOf, type Filled, seed } from './seed.ts'

/** The small file has few payments, and as many devices as connect at once. */
export const MILLION = {
  small: { payments: 1_000, devices: EFFORT.connecting.speakers },
  large: { payments: 1_000_000, devices: 100_000 },
  acts: ACTS,
  lists: LISTS,
  ...EFFORT,
}
/** Free space needed to fill the file: about three times the size with a million payments. */
const ROOM_BYTES = 4 * 1024 ** 3

/** Compares a hub with a million payments and 100,000 devices with a hub that has few. */
export async function benchGrowth(scale = MILLION): Promise<Figure[]> {
  // Filled in memory: flushing a disk for each commit would only take time.
  const folder = mkdtempSync(join(memoryFolder(ROOM_BYTES) ?? tmpdir(), 'hub-growth-'))
  try {
    const filled = async (name: 'small' | 'large') => {
      const dataDir = join(folder, name)
      mkdirSync(dataDir, { mode: 0o700 })
      return seed(dataDir, scale[name])
    }
    return await benchFilled({ small: await filled('small'), large: await filled('large') }, scale)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The same with files that are already filled. They stay unchanged. */
export async function benchFilled(filled: Both, scale: Omit<typeof MILLION, keyof Both>): Promise<Figure[]> {
  const acts = await withCopies(filled, (both) => benchActs(both, scale.acts))
  const lists = await withCopies(filled, (both) => benchLists(both, scale.lists))
  const hubs = await withCopies(filled, async (both) => [
    ...(await benchGrownStart(both, scale.starts)),
    ...(await benchGrownSpeakers(both, scale.connecting)),
    ...(await benchGrownWork(both, scale)),
  ])
  return [...hubs, ...acts, ...lists]
}

async function withCopies({ small, large }: Both, act: (both: Both) => Promise<Figure[]>): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-growth-'))
  try {
    const copies = {
      small: copyTo(join(folder, 'small'), small),
      large: copyTo(join(folder, 'large'), large),
    }
    return await act(copies)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Flushes the file to disk before the measurement, so that writing it takes none of the measured time. */
function copyTo(dataDir: string, filled: Filled): Filled {
  mkdirSync(dataDir, { mode: 0o700 })
  const copy = { ...filled, dataDir }
  copyFileSync(databaseOf(filled), databaseOf(copy))
  const written = openSync(databaseOf(copy), 'r+')
  fsyncSync(written)
  closeSync(written)
  return copy
}
