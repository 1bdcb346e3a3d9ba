import type { Clock } from '../../platform/clock.ts'
import type { Storage, StorageChange } from '../ports.ts'
import { type Act, type Engine, type Revised, rows } from './act.ts'

/** The changes that are told, and the revision that counts each. */
const TOLD: readonly [StorageChange, Revised][] = [
  ['requests', 'wishes'],
  ['grants', 'grants'],
]

/**
 * A revision tells every connection, in every thread and process, that something has changed: it rises with the commit of
 * the change. Why not SQLite's own data_version: every commit of another connection changes that, and every payment is a
 * commit.
 */
export function* readRevisions(): Act<ReadonlyMap<Revised, number>> {
  const found = yield* rows<{ name: Revised; revision: number }>(
    'revisions.all',
    'SELECT name, revision FROM revisions',
  )
  return new Map(found.map(({ name, revision }) => [name, revision]))
}

/** For the cache of grants. */
export function* readGrantsRevision(): Act<number> {
  const grants = (yield* readRevisions()).get('grants')
  if (grants === undefined) throw new Error('the database has no revision of the grants')
  return grants
}

/** `before` holds the revisions at the opening: a listener may hear once of a change since then. */
export function createChanges(
  { reading }: Pick<Engine, 'reading'>,
  before: ReadonlyMap<Revised, number>,
  clock: Pick<Clock, 'after'>,
  everyMs: number,
): Storage['changes'] {
  const read = reading(readRevisions)

  return function changes(listener) {
    let seen = before
    let isEnded = false
    let cancel = lookLater()

    function lookLater() {
      return clock.after(everyMs, () => void look())
    }

    async function look() {
      try {
        const current = await read()
        const changed = TOLD.filter(([, revised]) => current.get(revised) !== seen.get(revised))
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
