import type { Clock } from '../../../platform/clock.ts'
import type { Storage, StorageChange } from '../../ports.ts'
import type { Revised } from '../schema/schema.ts'
import type { Revisions } from './revisions.ts'

/** SQLite can't notify another process, so each listener looks at the revisions this often. A look takes some 4 µs. */
const LOOK_EVERY_MS = 500

const REVISIONS: [StorageChange, Revised][] = [
  ['requests', 'wishes'],
  ['grants', 'grants'],
]

export function createChanges(
  revisions: Pick<Revisions, 'of'>,
  clock: Pick<Clock, 'after'>,
): Storage['changes'] {
  return function changes(listener) {
    const seen = new Map(REVISIONS.map(([, revised]) => [revised, revisions.of(revised)]))

    function hasChanged(revised: Revised): boolean {
      try {
        const [before, now] = [seen.get(revised), revisions.of(revised)]
        seen.set(revised, now)
        return now !== before
      } catch {
        // The file can't be read now. The next look finds the change.
        return false
      }
    }

    let cancel = clock.after(LOOK_EVERY_MS, look)
    function look() {
      cancel = clock.after(LOOK_EVERY_MS, look)
      for (const [change, revised] of REVISIONS) if (hasChanged(revised)) listener(change)
    }
    return () => cancel()
  }
}
