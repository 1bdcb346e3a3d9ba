import { createBoundedMap } from '../../platform/bounded-map.ts'

/** Cached answers of one kind of read. The one cached longest gives way. */
const CACHED = 10_000

/** A kind of read: returns the cached answer for the key, or else caches the answer of `read`. Undefined is not cached. */
export type CachedRead<V extends object> = (
  key: string,
  read: () => Promise<V | undefined>,
) => Promise<V | undefined>

/** Makes the cache of one kind of read. */
export type ReadCache = <V extends object>() => CachedRead<V>

/**
 * Caches what every request reads, the grant of its token and the secrets that sign it, while the revision stays the same.
 * `look` reads the revision: a change that was committed before the look, by whatever process, takes effect.
 * Held by test/server/storage/shared/read-cache.test.ts.
 */
export function createReadCache(look: () => Promise<number>): ReadCache {
  const caches: { clear(): void }[] = []
  let seen: number | undefined

  async function clearIfChanged() {
    const current = await look()
    if (current !== seen) for (const cache of caches) cache.clear()
    seen = current
  }

  return <V extends object>(): CachedRead<V> => {
    const cache = createBoundedMap<V>(CACHED)
    caches.push(cache)

    function readAndCache(key: string, read: () => Promise<V | undefined>) {
      const before = seen
      return read().then((found) => {
        // Another look may have seen a change that this read has not.
        if (found && seen === before) cache.set(key, found)
        return found
      })
    }

    return (key, read) => clearIfChanged().then(() => cache.get(key) ?? readAndCache(key, read))
  }
}

/**
 * How long a look at the revision is trusted, milliseconds: for the reads of one request. A command of another process ends
 * 30 ms after its commit (measured), so its change counts for the first request behind it. A change at another hub counts
 * for requests that come so much later.
 */
export const TRUST_MS = 5

/**
 * Looks at the revision again when the last look is older than `trustMs`. Why: a look costs as much as the read. For its own
 * changes a process calls `forget`.
 */
export function trustedFor(trustMs: number, look: () => Promise<number>, now = () => performance.now()) {
  let last: { at: number; revision: Promise<number> } | undefined
  return {
    look() {
      if (!last || now() - last.at >= trustMs) last = { at: now(), revision: look() }
      return last.revision
    },
    forget() {
      last = undefined
    },
  }
}
