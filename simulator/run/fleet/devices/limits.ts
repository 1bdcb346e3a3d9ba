import { CannotStart } from '../../../platform/errors.ts'

/**
 * Speakers in one process. To one address of a hub a machine has some 28,000 ports to connect from, and others need
 * some too; a larger fleet takes several machines.
 */
export const MOST_SPEAKERS = 20_000

/** Files that the process needs besides a socket for each speaker: callbacks under way, modules, the terminal. */
const OTHER_FILES = 400

/** Throws a sentence that says what to do when the process may not open a socket for every speaker. */
export function checkOpenFiles(speakers: number, allowed: number | undefined): void {
  const needed = speakers + OTHER_FILES
  if (allowed === undefined || allowed >= needed) return
  throw new CannotStart(
    `${speakers} speakers need ${needed} open files, and this shell allows ${allowed}: run \`ulimit -n ${needed}\` first (and give the hub's shell as many), or take a smaller fleet.`,
  )
}

/** How many files this process may open; undefined where there is no such limit, or none that can be read. */
export function openFilesAllowed(): number | undefined {
  // A report names every network interface unless it is told not to, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits }: { userLimits?: { open_files?: { soft?: unknown } } } = Object(
    process.report.getReport(),
  )
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : undefined
}
