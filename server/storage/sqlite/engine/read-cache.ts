import { createBoundedMap } from '../../../platform/bounded-map.ts'

/** Answers that are kept for each kind of read; the one kept longest gives way. */
const KEPT = 10_000

/** What was read, kept for as long as reading it again could not answer anything else. */
export interface KeptReads {
  /** A kind of read: answers what is kept under the key, else what `read` finds. What is not there is not kept. */
  of<V extends object>(): (key: string, read: () => V | undefined) => V | undefined
  /** Has the next read look at the revision, however short a time ago the last one did. */
  lookAgain(): void
}

export interface KeptReadsOptions {
  /** Rises with every commit that changes what a kept read depends on, whoever has made it. */
  revision: () => number
  /** For how long a look at it is good, milliseconds. */
  sureForMs: number
  /** Milliseconds, monotonic. */
  now?: () => number
}

/**
 * Keeps what every request needs again: who its token speaks for, and the secrets that sign it. A change counts from
 * the next request on.
 *
 * Why not a look at every read: it costs as much as the read itself. What the hub itself has changed is told by
 * `lookAgain`; what comes after the end of a command comes later than a millisecond.
 * Held by test/server/storage/engine/read-cache.test.ts.
 */
export function createKeptReads({
  revision,
  sureForMs,
  now = () => performance.now(),
}: KeptReadsOptions): KeptReads {
  const kinds: { clear(): void }[] = []
  let seen: number | undefined
  let seenAt = Number.NEGATIVE_INFINITY

  function dropWhatHasChanged() {
    if (now() - seenAt < sureForMs) return
    seenAt = now()
    const current = revision()
    if (current !== seen) for (const kind of kinds) kind.clear()
    seen = current
  }

  return {
    of<V extends object>() {
      const kept = createBoundedMap<V>(KEPT)
      kinds.push(kept)
      return (key: string, read: () => V | undefined) => {
        // Before the read, so that a write between the two is seen by the next question.
        dropWhatHasChanged()
        const known = kept.get(key)
        if (known) return known
        const found = read()
        if (found) kept.set(key, found)
        return found
      }
    },

    lookAgain() {
      seenAt = Number.NEGATIVE_INFINITY
    },
  }
}
