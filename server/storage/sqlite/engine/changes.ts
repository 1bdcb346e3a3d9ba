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
    const seen = new Map(REVISIONS.map(([change, revised]) => [change, revisions.of(revised)]))

    function changed(): StorageChange[] {
      try {
        return REVISIONS.flatMap(([change, revised]) => {
          const revision = revisions.of(revised)
          if (revision === seen.get(change)) return []
          seen.set(change, revision)
          return [change]
        })
      } catch {
        // The file can't be read now. The next look finds the change.
        return []
      }
    }

    let cancel = clock.after(LOOK_EVERY_MS, look)
    function look() {
      cancel = clock.after(LOOK_EVERY_MS, look)
      for (const change of changed()) listener(change)
    }
    return () => cancel()
  }
}
