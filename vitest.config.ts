import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './test/support/runner/memory-folder.ts'

/** Containers often have 64 MB of memory for files; all that tests have open at once stays far below this. */
const ROOM_BYTES = 1024 ** 3
/** A test asks what was committed, and to flush a disk for each commit only takes time. */
const FOLDER = memoryFolder(ROOM_BYTES)

/** Draws its colours when its libraries are loaded, so that they must not be loaded yet. */
const OWN_PROCESS = ['test/simulator/screen/colour.test.tsx']

/** Each takes ten seconds or more: one that begins last would be waited for alone. */
const LONGEST = [
  'test/simulation/worlds.test.ts',
  'test/whole/simulation/worlds.test.ts',
  'test/whole/force/force.test.ts',
  'test/whole/server/site/pages.test.ts',
  'test/protocol/conformance/mutants.test.ts',
  'test/whole/journeys/samples.test.ts',
]

/** Vitest remembers how long a file took, and begins with the longest; a fresh clone remembers nothing. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** While one waits for a process or a socket, another works; more of them would only wait for each other. */
const WORKERS = Math.min(availableParallelism() + 1, 8)

export default defineConfig({
  test: {
    // Some tests start several processes, and a machine may be loaded.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    env: FOLDER === undefined ? {} : { TMPDIR: FOLDER },
    projects: [
      {
        extends: true,
        // To load the libraries takes longer than most files run: a worker loads them once. No module of the product
        // has state that one file could leave to the next.
        test: { name: 'shared', include: ['test/**/*.test.{ts,tsx}'], exclude: OWN_PROCESS, isolate: false },
      },
      { extends: true, test: { name: 'own process', include: OWN_PROCESS } },
    ],
  },
})
