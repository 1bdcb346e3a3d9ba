import type { Clock } from '../../../platform/clock.ts'
import type { Storage, StorageChange } from '../../ports.ts'
import type { Revised, Revisions } from './revisions.ts'

const LOOK_EVERY_MS = 1_000

const REVISIONS: [StorageChange, Revised][] = [
  ['requests', 'wishes'],
  ['grants', 'grants'],
]

/** `before` holds the revisions at the opening: a listener may hear once of a change since then. */
export function createChanges(
  revisions: Pick<Revisions, 'all'>,
  before: ReadonlyMap<Revised, number>,
  clock: Pick<Clock, 'after'>,
): Storage['changes'] {
  return function changes(listener) {
    let seen = before
    let isEnded = false
    let cancel = lookLater()

    function lookLater() {
      return clock.after(LOOK_EVERY_MS, () => void look())
    }

    async function look() {
      try {
        const current = await revisions.all()
        const changed = REVISIONS.filter(([, revised]) => current.get(revised) !== seen.get(revised))
        seen = current
        before = current
        for (const [change] of changed) if (!isEnded) listener(change)
      } catch {
        // The database can't be read. A later look finds the change.
      }
      if (!isEnded) cancel = lookLater()
    }

    return () => {
      isEnded = true
      cancel()
    }
  }
}
