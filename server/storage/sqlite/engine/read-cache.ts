import { createBoundedMap } from '../../../platform/bounded-map.ts'

/** Cached answers of one kind of read, unless it has another limit. The one cached longest gives way. */
const CACHED = 10_000

/** Caches answers of reads until a commit may have changed them. */
export interface ReadCache {
  /** A kind of read: returns the cached answer for the key, or else caches the answer of `read`. Undefined is not cached. */
  of<V extends object>(limit?: number): (key: string, read: () => V | undefined) => V | undefined
  /** Makes the next read look at the revision, however recent the last look is. */
  invalidate(): void
}

export interface ReadCacheOptions {
  /** Changes with every commit, of any process, that changes a cached answer. */
  revision: () => number | string
  /** The cache trusts a look at the revision for this long, milliseconds. */
  trustMs: number
  /** Milliseconds, monotonic. */
  now?: () => number
}

/**
 * Caches what every request reads: the grant of its token, and the secrets that sign it. A change takes effect with
 * the next request.
 *
 * Why it does not look at the revision for every read: a look costs as much as the read. For changes of the hub
 * itself, `invalidate` is called; a command of another process takes longer to end than a look is trusted.
 * Held by test/server/storage/sqlite/engine/read-cache.test.ts.
 */
export function createReadCache({
  revision,
  trustMs,
  now = () => performance.now(),
}: ReadCacheOptions): ReadCache {
  const caches: { clear(): void }[] = []
  let seen: number | string | undefined
  let seenAt = Number.NEGATIVE_INFINITY

  function clearIfChanged() {
    if (now() - seenAt < trustMs) return
    seenAt = now()
    const current = revision()
    if (current !== seen) for (const cache of caches) cache.clear()
    seen = current
  }

  return {
    of<V extends object>(limit = CACHED) {
      const cache = createBoundedMap<V>(limit)
      caches.push(cache)
      return function cached(key: string, read: () => V | undefined) {
        // Before the read: a write between the two then clears the cache for the next read.
        clearIfChanged()
        const known = cache.get(key)
        if (known) return known
        const found = read()
        if (found) cache.set(key, found)
        return found
      }
    },

    invalidate() {
      seenAt = Number.NEGATIVE_INFINITY
    },
  }
}
