import { createBoundedMap } from '../../../platform/bounded-map.ts'

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
 * Caches answers of reads while the revision stays the same. `look` reads the revision in a statement that begins after
 * the call: a change that was committed before the read, by whatever hub, takes effect. Reads of one moment share a look.
 * Held by test/server/storage/postgres/read-cache.test.ts.
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
