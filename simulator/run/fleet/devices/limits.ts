import { CannotStart } from '../../../platform/errors.ts'

/**
 * Speakers in one process. A machine has about 28,000 ports for connections to one address, and needs some for other
 * purposes; a larger fleet needs several machines.
 */
export const MOST_SPEAKERS = 20_000

/** Open files besides the speakers' sockets: pending callbacks, modules, the terminal. */
const OTHER_FILES = 400

/** Throws `CannotStart`, with a remedy, when the process may not open a socket for every speaker. */
export function checkOpenFiles(speakers: number, allowed: number | undefined): void {
  const needed = speakers + OTHER_FILES
  if (allowed === undefined || allowed >= needed) return
  throw new CannotStart(
    `${speakers} speakers need ${needed} open files, and this shell allows ${allowed}: run \`ulimit -n ${needed}\` first (also in the hub's shell), or use a smaller fleet.`,
  )
}

/** The limit of open files of this process; undefined when there is none or it can't be read. */
export function openFilesAllowed(): number | undefined {
  // Listing the network interfaces in the report can take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits }: { userLimits?: { open_files?: { soft?: unknown } } } = Object(
    process.report.getReport(),
  )
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : undefined
}
