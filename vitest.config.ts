import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { commitSeed } from './test/support/runner/commit-seed.ts'
import { memoryFolder } from './test/support/runner/memory-folder.ts'
import { requireNode } from './test/support/runner/require-node.ts'
import { SlowestReporter } from './test/support/runner/slowest.ts'

requireNode(24)

/** Containers often have 64 MB of shared memory. All files that tests have open at once stay far below this size. */
const ROOM_BYTES = 1024 ** 3
/** Tests check what was committed. Flushing a disk at each commit would only cost time. */
const FOLDER = memoryFolder(ROOM_BYTES)

/** What takes long is made here once for all workers: see test/support/processes/once-for-run.ts. */
const RUN_FOLDER = join(FOLDER ?? tmpdir(), `soundbox-run-${process.pid}`)

/** Chooses the simulated worlds, and the part of long sweeps that the quick project runs. */
const SEED = process.env.TEST_SEED ?? String(commitSeed(import.meta.dirname))

const TESTS = 'test/**/*.test.{ts,tsx}'
/** These tests start processes, browsers or compilers, or run for long. */
const WHOLE = 'test/whole/**/*.test.{ts,tsx}'
/** These take minutes, and seldom find what the others do not. They are no part of the gate. */
const LONG = 'test/long/**/*.test.{ts,tsx}'
/** Chooses its colours when its libraries are loaded, so no other file may have loaded them. */
const OWN_PROCESS = 'test/simulator/screen/colour.test.tsx'

/** Each takes half a minute or more, most of which it waits. The run would wait for one that begins last. */
const LONGEST = [
  'test/simulation/worlds.test.ts',
  'test/whole/simulation/worlds.test.ts',
  'test/long/simulation/worlds.test.ts',
  'test/long/force/force.test.ts',
  'test/whole/protocol/c-device-kit.test.ts',
  'test/whole/protocol/firmware-kit.test.ts',
  'test/long/protocol/firmware-kit.test.ts',
  'test/long/protocol/c-networks.test.ts',
  'test/whole/protocol/c-line-kit.test.ts',
  'test/whole/journeys/processors.test.ts',
  'test/whole/protocol/conformance/demo.test.ts',
  'test/whole/simulator/browser/power.test.ts',
  'test/whole/simulator/run/scenario/process.test.ts',
  'test/whole/server/operate/master-key-online.test.ts',
  'test/whole/server/operate/cut-off.test.ts',
  'test/whole/docs/blocks.test.ts',
]

/** Vitest remembers how long each file took and starts with the longest. A fresh clone remembers nothing. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/**
 * While one worker waits for a process or a socket, another one works. The quick tests seldom wait: `npm test` has a
 * worker for each core, since each loads and compiles everything anew.
 */
const WORKERS = Math.min(availableParallelism() + 1, 8)

/**
 * Loading the libraries takes longer than most files run, so a worker loads them once for all its files. No module of
 * the product has state that one file could leave to the next.
 */
const SHARED = { isolate: false }

const PROCESSES = { ...SHARED, globalSetup: 'test/support/runner/run-folder.ts' }

/** Ends a test that hangs; no test waits for it. With a load of 20 on two cores, some took more than ten minutes. */
const HANGS_MS = 30 * 60_000

/**
 * The quick project's screens. As in the simulator itself, React is the build for production: the other one notes a
 * stack for each element. The size is the terminal's, of which a test's screen knows the width alone: without it Ink
 * starts `tput` twice for each screen, and a test would depend on the real terminal.
 */
const SCREENS = { NODE_ENV: 'production', COLUMNS: '80', LINES: '24' }

export default defineConfig({
  // The build for production lacks what the other form of JSX calls.
  oxc: { jsx: { development: false } },
  test: {
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    maxWorkers: WORKERS,
    reporters: ['default', new SlowestReporter()],
    sequence: { sequencer: LongestFirst },
    env: {
      TZ: 'UTC',
      TEST_SEED: SEED,
      TEST_RUN_FOLDER: RUN_FOLDER,
      ...(FOLDER === undefined ? {} : { TMPDIR: FOLDER }),
    },
    projects: [
      {
        extends: true,
        test: {
          ...SHARED,
          name: 'quick',
          include: [TESTS],
          exclude: [WHOLE, LONG, OWN_PROCESS],
          env: SCREENS,
        },
      },
      { extends: true, test: { ...PROCESSES, name: 'whole', include: [WHOLE] } },
      { extends: true, test: { ...PROCESSES, name: 'long', include: [LONG] } },
      { extends: true, test: { name: 'quick, own process', include: [OWN_PROCESS], env: SCREENS } },
    ],
  },
})
