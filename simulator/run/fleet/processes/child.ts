import process from 'node:process'
import { systemClock } from '../../../platform/clock.ts'
import { reportOf } from '../report/figures.ts'
import type { Run } from '../run/run.ts'
import { type Part, startPart } from './part.ts'
import { type FromChild, partSummary } from './source.ts'

/** One process of a fleet: gets its part from its parent, tells it a summary a second, and the report at the end. */

const EVERY_MS = 1_000

export type FromParent = { kind: 'start'; part: Part } | { kind: 'end' }

// Ctrl+C reaches every process of the terminal; the parent says when the run ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
// Without its parent nobody reads the report.
process.on('disconnect', () => process.exit(1))

let fleet: Run | undefined
process.on('message', (message: FromParent) => {
  if (message.kind === 'end') fleet?.end()
  else {
    fleet = startPart(message.part, systemClock)
    void tellOf(fleet)
  }
})

async function tellOf(run: Run): Promise<void> {
  const telling = setInterval(() => void tell(partSummary(run, systemClock.now())), EVERY_MS)
  await run.ended
  clearInterval(telling)
  await tell({ kind: 'report', report: reportOf(run, systemClock.now()) })
  process.exit(0)
}

function tell(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve())
  })
}
