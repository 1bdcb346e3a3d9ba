/** Delays between attempts to connect (sb/1 1.6). */

const FIRST_CEILING_MS = 1_000
const LAST_CEILING_MS = 60_000
/**
 * After CONNACK 1, 2, 4 or 5: a retry does not make a wrong key or a wrong CONNECT right, and many such speakers must not
 * load the hub.
 */
export const REFUSED_DELAY_MS = 15 * 60_000
const REFUSED_SPREAD_MS = 5 * 60_000

/**
 * Exponential backoff from 1 to 60 s with full jitter: uniform between 0 and the ceiling, so that the speakers of a
 * town do not reconnect in the same second. `failures` counts from 1; `random` gives [0, 1) (sb/1 13.1).
 */
export function retryDelayMs(failures: number, random: () => number): number {
  const ceiling = Math.min(LAST_CEILING_MS, FIRST_CEILING_MS * 2 ** Math.min(failures - 1, 10))
  return Math.round(random() * ceiling)
}

/** At least 15 minutes, spread over five more (sb/1 13.2). */
export function refusedDelayMs(random: () => number): number {
  return REFUSED_DELAY_MS + Math.round(random() * REFUSED_SPREAD_MS)
}
