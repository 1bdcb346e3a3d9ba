import type { Clock } from '../../../platform/clock.ts'
import type { Run } from '../run/run.ts'
import { summaryOf } from './figures.ts'

const EVERY_MS = 1_000

/** The fleet without a screen: a summary a second, one JSON object a line. Returns what ends it. */
export function runHeadless(run: Run, clock: Clock, write: (line: string) => void): () => void {
  let cancel = () => {}
  /** From the start on, not from the last line: a late one must not move all that follow. */
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
