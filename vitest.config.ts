import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Linux's folder in memory: a test asks what was committed, and to flush a disk for each commit only takes time. */
const MEMORY_FOLDER = '/dev/shm'
/** Containers often have 64 MB of it; all that tests have open at once stays far below this. */
const ROOM_BYTES = 1024 ** 3

/** Draws its colours when its libraries are loaded, so that they must not be loaded yet. */
const OWN_PROCESS = ['test/simulator/ui/colour.test.tsx']

export default defineConfig({
  test: {
    // Some tests start several processes, and a machine may be loaded.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Journeys and the command line start processes of their own: more workers would only wait for each other.
    maxWorkers: 2,
    env: hasMemoryFolder() ? { TMPDIR: MEMORY_FOLDER } : {},
    projects: [
      {
        extends: true,
        // To load the libraries takes longer than most files: what is loaded serves every file. No module of ours has state.
        test: { name: 'shared', include: ['test/**/*.test.{ts,tsx}'], exclude: OWN_PROCESS, isolate: false },
      },
      { extends: true, test: { name: 'own process', include: OWN_PROCESS } },
    ],
  },
})

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}
