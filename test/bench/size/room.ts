import { statfsSync } from 'node:fs'

/** What a payment of the history takes on the disk, with its announcement, its key, its events and all indices. */
export const BYTES_EACH = 1_850
/** What the shops and an empty database take. */
const BYTES_BESIDE = 200_000_000
/** So many times the size must be free: for sorts of indices, the log, and what the measurements write. */
const ROOM = 2
/** Fewer payments than asked for are a whole multiple of this. */
const STEP = 100_000

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** How many payments the larger database gets: as many as asked for, or as many as there is room for. */
export function paymentsFor(asked: { large: number; small: number }, free: number): number {
  const fit = Math.floor((free / ROOM - 3 * BYTES_BESIDE) / BYTES_EACH) - asked.small
  return fit >= asked.large ? asked.large : Math.max(0, Math.floor(fit / STEP) * STEP)
}
