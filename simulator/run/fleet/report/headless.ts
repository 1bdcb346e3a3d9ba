import type { Clock } from '../../../platform/clock.ts'
import type { Run } from '../run/run.ts'
import { summaryOf } from './figures.ts'

const EVERY_MS = 1_000

/** The fleet without a screen: a summary per second, one JSON object per line. Returns a function that ends it. */
export function runHeadless(run: Run, clock: Clock, write: (line: string) => void): () => void {
  let cancel = () => {}
  /** Counted from the start: a late line must not delay the following ones. */
  let dueMs = run.startedAtMs
  const tell = () => {
    dueMs += EVERY_MS
    cancel = clock.wakeAt(dueMs, () => {
      write(`${JSON.stringify(summaryOf(run, clock.now()))}\n`)
      tell()
    })
  }
  tell()
  return () => cancel()
}
