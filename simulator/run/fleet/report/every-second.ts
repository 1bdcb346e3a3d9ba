import type { Clock } from '../../../platform/clock.ts'
import type { Summary } from './lines.ts'

const EVERY_MS = 1_000

/** Shows each of the viewers a summary a second. Returns a function that ends it. */
export function everySecond(
  source: { readonly startedAtMs: number; summary(): Summary | undefined },
  clock: Clock,
  viewers: readonly ((summary: Summary) => void)[],
): () => void {
  let cancel = () => {}
  /** Counted from the start: a late summary must not delay the following ones. */
  let dueMs = source.startedAtMs
  const tell = () => {
    dueMs += EVERY_MS
    cancel = clock.wakeAt(dueMs, () => {
      const summary = source.summary()
      if (summary) for (const view of viewers) view(summary)
      tell()
    })
  }
  if (viewers.length > 0) tell()
  return () => cancel()
}
