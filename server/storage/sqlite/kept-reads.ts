import { createBoundedMap } from './bounded-map.ts'

/** Answers that are kept for each kind of read; the one kept longest gives way. */
const KEPT = 10_000

/** What was read, kept for as long as reading it again could not answer anything else. */
export interface KeptReads {
  /** A kind of read: answers what is kept under the key, else what `read` finds. What is not there is not kept. */
  of<V extends object>(): (key: string, read: () => V | undefined) => V | undefined
  /** To be called inside the commit that changes what a kept read depends on. */
  drop(): void
}

/**
 * Keeps what every request needs again: who its token speaks for, and the secrets that sign it. A change counts
 * from the next request on: this process drops what it has kept as it writes, and a write of another process is
 * seen by `foreignVersion`.
 *
 * Why the version is asked once in a turn of the event loop: asking costs as much as the read that is spared. All
 * requests of one turn had begun to arrive before it, so one that is sent after a commit is read in a later turn.
 * Held by test/server/storage/kept-reads.test.ts.
 */
export function createKeptReads(foreignVersion: () => number): KeptReads {
  const kinds: { clear(): void }[] = []
  let seen: number | undefined
  let askedInThisTurn = false

  const drop = () => {
    for (const kind of kinds) kind.clear()
  }

  function dropWhatIsForeign() {
    if (askedInThisTurn) return
    const version = foreignVersion()
    askedInThisTurn = true
    setImmediate(() => {
      askedInThisTurn = false
    })
    if (version !== seen) drop()
    seen = version
  }

  return {
    of<V extends object>() {
      const kept = createBoundedMap<V>(KEPT)
      kinds.push(kept)
      return (key: string, read: () => V | undefined) => {
        // Before the read, so that a write between the two is seen by the next question.
        dropWhatIsForeign()
        const known = kept.get(key)
        if (known) return known
        const found = read()
        if (found) kept.set(key, found)
        return found
      }
    },
    drop,
  }
}
