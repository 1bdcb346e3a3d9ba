import { randomInt } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'

/** Unique codes, within a run and across runs. */
export function ftCodes(clock: Clock): () => string {
  const run = `FL${clock.now().toString(36)}${randomInt(36 ** 4).toString(36)}`.toUpperCase()
  let count = 0
  return () => {
    count += 1
    return `${run}-${String(count).padStart(6, '0')}`
  }
}
